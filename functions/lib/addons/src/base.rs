//! The add-ons that every cluster needs: made by control-plane, judged by dependencies, and again by verification.

use crate::{Runs, Wanted};

/// In the order in which they are made.
pub const BASE: [Wanted; 4] = [
    Wanted {
        name: "vpc-cni",
        runs: Runs::OnEveryNode,
        workload: ("kube-system", "aws-node"),
        required_for: "pod networking",
        configuration: None,
    },
    Wanted {
        name: "kube-proxy",
        runs: Runs::OnEveryNode,
        workload: ("kube-system", "kube-proxy"),
        required_for: "service networking",
        configuration: None,
    },
    Wanted {
        name: "eks-pod-identity-agent",
        runs: Runs::OnEveryNode,
        workload: ("kube-system", "eks-pod-identity-agent"),
        required_for: "AWS permissions of pods, the storage driver's included",
        configuration: None,
    },
    Wanted {
        name: "coredns",
        runs: Runs::Somewhere,
        workload: ("kube-system", "coredns"),
        required_for: "names in the cluster",
        configuration: None,
    },
];
