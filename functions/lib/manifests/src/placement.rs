//! Where pods run: by instance type, and past which taints.

use domain::catalogue::{self, Hardware};
use k8s_openapi::api::core::v1::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Toleration,
};

/// The taint by which HyperPod keeps work away from a node that is checked or faulty, and its value.
pub(crate) const HEALTH_TAINT: (&str, &str) = ("sagemaker.amazonaws.com/node-health-status", "Unschedulable");

/// Only on nodes of these types, by the label that SageMaker sets (`ml.` included).
pub(crate) fn on_types(fits: impl Fn(&Hardware) -> bool) -> Affinity {
    let types = catalogue::all().filter(|hardware| fits(hardware)).map(|hardware| hardware.instance_type.to_string());
    required(vec![is_in("node.kubernetes.io/instance-type", types.collect())])
}

/// Only on HyperPod nodes.
pub(crate) fn on_hyperpod() -> Affinity {
    required(vec![is_in("sagemaker.amazonaws.com/compute-type", vec!["hyperpod".to_owned()])])
}

fn required(expressions: Vec<NodeSelectorRequirement>) -> Affinity {
    let term = NodeSelectorTerm { match_expressions: Some(expressions), ..NodeSelectorTerm::default() };
    Affinity {
        node_affinity: Some(NodeAffinity {
            required_during_scheduling_ignored_during_execution: Some(NodeSelector { node_selector_terms: vec![term] }),
            ..NodeAffinity::default()
        }),
        ..Affinity::default()
    }
}

fn is_in(key: &str, values: Vec<String>) -> NodeSelectorRequirement {
    NodeSelectorRequirement { key: key.to_owned(), operator: "In".to_owned(), values: Some(values) }
}

/// Past a taint of any value.
pub(crate) fn tolerate(key: &str, effect: Option<&str>) -> Toleration {
    Toleration {
        key: Some(key.to_owned()),
        operator: Some("Exists".to_owned()),
        effect: effect.map(str::to_owned),
        ..Toleration::default()
    }
}

/// Past every taint of these effects.
pub(crate) fn tolerate_all() -> Vec<Toleration> {
    ["NoSchedule", "NoExecute"]
        .map(|effect| Toleration {
            operator: Some("Exists".to_owned()),
            effect: Some(effect.to_owned()),
            ..Toleration::default()
        })
        .to_vec()
}

/// Past HyperPod's own taint: what must run while a node is checked.
pub(crate) fn tolerate_checks() -> Toleration {
    Toleration {
        key: Some(HEALTH_TAINT.0.to_owned()),
        operator: Some("Equal".to_owned()),
        value: Some(HEALTH_TAINT.1.to_owned()),
        effect: Some("NoSchedule".to_owned()),
        ..Toleration::default()
    }
}
