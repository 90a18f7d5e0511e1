//! What an import changes in things that it borrows: only what one of its fixes names.

use super::Known;
use serde::Serialize;

/// One change to a borrowed thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "mend")]
pub enum Mend {
    /// Allows all traffic from a security group to itself (fix `self-rules`).
    SelfIngress {
        /// The group.
        group: String,
    },
    /// Allows all traffic to a security group from itself (fix `self-rules`).
    SelfEgress {
        /// The group.
        group: String,
    },
    /// Leads a private route table to a NAT gateway (fix `nat`).
    RouteToNat {
        /// The table.
        table: String,
        /// The NAT gateway.
        nat: Known,
        /// Whether a route into nothing is in its place.
        replace: bool,
    },
    /// Lets access entries count (fix `authentication-mode`). EKS does not let it be undone.
    UseAccessEntries {
        /// The EKS cluster.
        cluster: String,
    },
}

impl Mend {
    pub(super) fn key(&self) -> String {
        match self {
            Self::SelfIngress { group } => format!("mend/self-ingress/{group}"),
            Self::SelfEgress { group } => format!("mend/self-egress/{group}"),
            Self::RouteToNat { table, .. } => format!("mend/route-to-nat/{table}"),
            Self::UseAccessEntries { .. } => "mend/authentication-mode".into(),
        }
    }

    pub(super) fn title(&self) -> String {
        match self {
            Self::SelfIngress { group } => format!("allow all traffic from {group} to itself"),
            Self::SelfEgress { group } => format!("allow all traffic to {group} from itself"),
            Self::RouteToNat { table, nat, .. } => format!("route {table} to NAT gateway {nat}"),
            Self::UseAccessEntries { cluster } => {
                format!("let EKS cluster {cluster} use access entries (authentication mode API_AND_CONFIG_MAP)")
            }
        }
    }
}
