//! Importing: an existing EKS cluster becomes one of ours to look after.

use crate::{
    Api,
    clusters::{new_cluster, written},
    problems,
    submitting::{STAGES_MACHINE, Wanted, right, take},
};
use contract::{imports::ImportCluster, problem::Problem};
use domain::{FieldError, decisions::CreateCluster, ids::ClusterTag, states::Stage};
use engine::{
    record::{Cluster, Import},
    submit::{ClusterWrite, managed_already},
};
use serde_json::Value;
use surface::Request;

pub(crate) async fn import(api: &Api, input: ImportCluster, request: Request) -> Result<Value, Problem> {
    let written = written(&input)?;
    let tag = tag(&input)?;
    let decisions = CreateCluster {
        tag,
        region: input.region,
        kubernetes_version: None,
        vpc_cidr: None,
        administrators: Vec::new(),
        network: None,
        hyperpod: input.hyperpod,
        storage: input.storage,
    };
    right(decisions.validate())?;
    let fixes = names(&input.fixes)?;
    let import = Import {
        eks_cluster_name: input.eks_cluster_name,
        fixes,
        grant_access: input.grant_access.unwrap_or_default(),
    };
    // Only a fix or an access entry needs the first stage; without them nothing borrowed is touched.
    let first = if import.fixes.is_empty() && !import.grant_access { Stage::Selection } else { Stage::ControlPlane };
    let cluster = Cluster { import: Some(import), ..new_cluster(api, decisions, &request) };
    not_managed_yet(api, &cluster).await?;
    let wanted = Wanted {
        kind: "import_cluster",
        cluster: ClusterWrite::New(cluster),
        input: written,
        machine: STAGES_MACHINE,
        stages: Some((first, Stage::Verification)),
    };
    take(api, wanted, &request).await
}

fn tag(input: &ImportCluster) -> Result<ClusterTag, Problem> {
    if let Some(tag) = &input.tag {
        return Ok(tag.clone());
    }
    input.eks_cluster_name.parse().map_err(|error: domain::ids::InvalidId| {
        surface::problem::of_fields(vec![FieldError::new("/eksClusterName", error.to_string())])
    })
}

fn names(fixes: &[contract::imports::Fix]) -> Result<Vec<String>, Problem> {
    let mut names = Vec::new();
    for (index, fix) in fixes.iter().enumerate() {
        let name = written(fix)?.as_str().unwrap_or_default().to_owned();
        if names.contains(&name) {
            let found = FieldError::new(format!("/fixes/{index}"), format!("{name} is given twice"));
            return Err(surface::problem::of_fields(vec![found]));
        }
        names.push(name);
    }
    Ok(names)
}

/// Refuses an EKS cluster that is managed here under another tag, before it is looked at; under the same one it is the desk
/// that decides.
async fn not_managed_yet(api: &Api, wanted: &Cluster) -> Result<(), Problem> {
    let manager = api.desk().store.manager_of(wanted).await.map_err(problems::of_trouble)?;
    match manager.filter(|known| known.tag != wanted.tag) {
        Some(known) => Err(problems::of_refused(managed_already(wanted, &known))),
        None => Ok(()),
    }
}
