//! A cluster whose controllers and kubelets act, for what EKS judges by them.

use super::place::{ARN, Place};
use crate::kubernetes::Host;
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::{collections::BTreeMap, ops::Range};

/// A node without volumes.
struct Bare;

impl Host for Bare {
    fn mount(&self, _: &Value, driver: &str, _: &BTreeMap<String, String>, _: &[String]) -> Result<(), String> {
        Err(format!("driver {driver} is not here"))
    }

    fn read(&self, _: &BTreeMap<String, String>, _: &[String], path: &str) -> Result<Vec<u8>, String> {
        Err(format!("{path}: No such file or directory"))
    }

    fn list(&self, _: &BTreeMap<String, String>, _: &[String], path: &str) -> Result<Vec<String>, String> {
        Err(format!("{path}: No such file or directory"))
    }

    fn draw(&self, _: &str, seconds: Range<u32>) -> SignedDuration {
        SignedDuration::from_secs(i64::from(seconds.end))
    }
}

impl Place {
    /// Lets time pass for the account and for the cluster's controllers alike.
    fn live(&mut self, minutes: i64) {
        for _ in 0..minutes * 12 {
            self.pass_seconds(5);
            let server = self.world.kubernetes.get_mut(ARN).unwrap();
            server.reconcile(&Bare, self.now);
        }
    }

    fn status(&mut self, addon: &str) -> String {
        self.addon(addon)["status"].as_str().unwrap().to_owned()
    }
}

#[test]
fn coredns_waits_for_a_node_that_its_pods_tolerate_and_is_then_active_within_three_minutes() {
    let mut place = Place::with_cluster(json!({}));
    for name in ["coredns", "vpc-cni", "eks-pod-identity-agent"] {
        let input = json!({ "clusterName": "demo", "addonName": name, "resolveConflicts": "OVERWRITE" });
        place.call("CreateAddon", input).unwrap();
    }
    place.live(2);
    assert_eq!((place.status("vpc-cni"), place.status("coredns")), ("ACTIVE".to_owned(), "CREATING".to_owned()));
    let taint = json!([{ "key": "sagemaker.amazonaws.com/node-health-status", "value": "Unschedulable", "effect": "NoSchedule" }]);
    place.join_node("tainted", "29", taint);
    place.live(5);
    assert_eq!((place.status("vpc-cni"), place.status("coredns")), ("ACTIVE".to_owned(), "CREATING".to_owned()));
    place.join_node("free", "29", json!([]));
    place.live(1);
    assert_eq!(place.status("coredns"), "CREATING");
    place.live(3);
    assert_eq!(place.status("coredns"), "ACTIVE");
    let path = "/apis/apps/v1/namespaces/kube-system/daemonsets/eks-pod-identity-agent";
    assert_eq!(place.object(path)["status"]["numberReady"], 2);
}
