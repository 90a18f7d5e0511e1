//! Addresses of Services, from EKS's default range 10.100.0.0/16.

use crate::kubernetes::{
    Cluster, object,
    refusal::{Cause, Refusal},
    resource::known,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::Ipv4Addr};

/// First address that is given out by itself; the ones below are for fixed uses (`kubernetes`, `kube-dns`).
const FIRST: u32 = u32::from_be_bytes([10, 100, 1, 0]);
const LAST: u32 = u32::from_be_bytes([10, 100, 255, 254]);

/// Gives a Service its cluster address and node ports.
pub(super) fn assign(cluster: &Cluster, value: &mut Value) -> Result<(), Refusal> {
    let kind = object::text(value, "/spec/type").to_owned();
    if kind == "ExternalName" {
        return Ok(());
    }
    let services = known("", "services");
    let used: BTreeSet<&str> =
        cluster.store.list(services, "").map(|one| object::text(one, "/spec/clusterIP")).collect();
    match object::text(value, "/spec/clusterIP") {
        "" => {
            let free = (FIRST..=LAST)
                .map(|number| Ipv4Addr::from(number).to_string())
                .find(|one| !used.contains(one.as_str()));
            let free = free
                .ok_or_else(|| Refusal::new(500, "InternalError", "failed to allocate a serviceIP: range is full"))?;
            object::put(value, "/spec/clusterIP", free);
        }
        "None" => {}
        wanted if used.contains(wanted) => {
            let detail = "failed to allocate IP: provided IP is already allocated";
            let causes = vec![Cause::invalid("spec.clusterIPs", &json!([wanted]), detail)];
            return Err(Refusal::invalid(services, object::name(value), causes));
        }
        _ => {}
    }
    let address = value["spec"]["clusterIP"].clone();
    object::put(value, "/spec/clusterIPs", json!([address]));
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        node_ports(cluster, value);
    }
    Ok(())
}

fn node_ports(cluster: &Cluster, value: &mut Value) {
    let services = cluster.store.list(known("", "services"), "");
    let mut used: BTreeSet<i64> = services
        .flat_map(|one| {
            object::list(one, "/spec/ports").iter().filter_map(|port| port["nodePort"].as_i64()).collect::<Vec<_>>()
        })
        .collect();
    for port in value["spec"]["ports"].as_array_mut().into_iter().flatten() {
        if port["nodePort"].is_null()
            && let Some(free) = (30_000..=32_767).find(|number| !used.contains(number))
        {
            port["nodePort"] = free.into();
            used.insert(free);
        }
    }
}
