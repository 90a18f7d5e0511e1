//! What a network lacks for HyperPod, each with the fix that mends it.

use crate::Footing;
use serde::Serialize;

/// One thing that is lacking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "lack")]
pub enum Lack {
    /// A security group of the nodes does not let its members talk to each other. EFA needs both rules to name the group:
    /// egress to everywhere is not enough (HyperPod guide, "Prerequisites for EFA").
    SelfRules {
        /// The group.
        group: String,
        /// No rule lets in all traffic from the group.
        ingress: bool,
        /// No rule lets out all traffic to the group.
        egress: bool,
    },
    /// A private route table leads nowhere: nodes cannot fetch images or reach AWS.
    Nat {
        /// The table.
        table: String,
        /// A default route that leads to something that is gone.
        dead_route: bool,
    },
    /// Private route tables do not lead to S3's gateway endpoint.
    S3Endpoint {
        /// The VPC's endpoint, if it has one.
        endpoint: Option<String>,
        /// The tables.
        tables: Vec<String>,
    },
    /// The cluster has no private subnet.
    PrivateSubnets,
}

impl Lack {
    /// The import's fix that mends it, as it is spelled in a request; none if nothing of ours does.
    pub const fn fix(&self) -> Option<&'static str> {
        match self {
            Self::SelfRules { .. } => Some("self-rules"),
            Self::Nat { .. } => Some("nat"),
            Self::S3Endpoint { .. } => Some("endpoints"),
            Self::PrivateSubnets => None,
        }
    }

    /// What is lacking, one sentence for people.
    pub fn message(&self) -> String {
        match self {
            Self::SelfRules { group, ingress, egress } => {
                let which = match (ingress, egress) {
                    (true, true) => "neither from itself nor to itself",
                    (true, false) => "not from itself",
                    _ => "not to itself",
                };
                format!("security group {group} allows all traffic {which}: EFA and NCCL between nodes will hang")
            }
            Self::Nat { table, dead_route: true } => {
                format!("the default route of {table} leads to something that is gone: nodes there reach nothing")
            }
            Self::Nat { table, dead_route: false } => {
                format!("{table} has no default route: nodes there cannot fetch images or reach AWS")
            }
            Self::S3Endpoint { tables, .. } => {
                format!("no S3 gateway endpoint on {}: S3 traffic goes through NAT, or nowhere", tables.join(", "))
            }
            Self::PrivateSubnets => "none of the cluster's subnets is private: HyperPod's nodes need one".to_owned(),
        }
    }
}

/// Everything that `footing` lacks.
pub(crate) fn of(footing: &Footing) -> Vec<Lack> {
    let mut lacks = Vec::new();
    for group in &footing.node_groups {
        let (ingress, egress) = (!group.self_rules.ingress, !group.self_rules.egress);
        if ingress || egress {
            lacks.push(Lack::SelfRules { group: group.id.clone(), ingress, egress });
        }
    }
    if footing.private_subnets().next().is_none() {
        lacks.push(Lack::PrivateSubnets);
    }
    let tables = footing.private_tables();
    for table in &tables {
        match table.default_route() {
            None => lacks.push(Lack::Nat { table: table.id.clone(), dead_route: false }),
            Some(route) if route.state != "active" => {
                lacks.push(Lack::Nat { table: table.id.clone(), dead_route: true });
            }
            Some(_) => {}
        }
    }
    let endpoint = footing.s3_endpoint.as_ref();
    let led = |id: &String| endpoint.is_some_and(|endpoint| endpoint.route_table_ids.contains(id));
    let tables: Vec<String> = tables.iter().map(|table| table.id.clone()).filter(|id| !led(id)).collect();
    if !tables.is_empty() {
        lacks.push(Lack::S3Endpoint { endpoint: endpoint.map(|endpoint| endpoint.id.clone()), tables });
    }
    lacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloud::ec2::{Route, RouteTable, SecurityGroup, SelfRules, Subnet, VpcEndpoint};

    fn subnet(id: &str) -> Subnet {
        Subnet {
            id: id.to_owned(),
            vpc_id: "vpc-1".to_owned(),
            cidr: "10.0.0.0/24".parse().unwrap(),
            zone_id: "usw2-az1".to_owned(),
            zone_name: "us-west-2a".to_owned(),
            free_addresses: 250,
            maps_public_addresses: false,
            tags: Default::default(),
        }
    }

    fn table(id: &str, main: bool, subnets: &[&str], default: Option<(&str, &str)>) -> RouteTable {
        let routes = default.map(|(target, state)| Route {
            destination: "0.0.0.0/0".to_owned(),
            target: target.to_owned(),
            state: state.to_owned(),
        });
        RouteTable {
            id: id.to_owned(),
            vpc_id: "vpc-1".to_owned(),
            main,
            subnet_ids: subnets.iter().map(|id| (*id).to_owned()).collect(),
            routes: routes.into_iter().collect(),
            tags: Default::default(),
        }
    }

    fn sound() -> Footing {
        Footing {
            vpc_id: "vpc-1".to_owned(),
            subnets: vec![subnet("subnet-public"), subnet("subnet-a"), subnet("subnet-b")],
            cluster_subnet_ids: vec!["subnet-public".to_owned(), "subnet-a".to_owned(), "subnet-b".to_owned()],
            route_tables: vec![
                table("rtb-main", true, &[], Some(("nat-1", "active"))),
                table("rtb-public", false, &["subnet-public"], Some(("igw-1", "active"))),
                table("rtb-a", false, &["subnet-a"], Some(("nat-1", "active"))),
            ],
            nats: Vec::new(),
            s3_endpoint: Some(VpcEndpoint {
                id: "vpce-1".to_owned(),
                service: "com.amazonaws.us-west-2.s3".to_owned(),
                state: "available".to_owned(),
                route_table_ids: vec!["rtb-main".to_owned(), "rtb-a".to_owned()],
                tags: Default::default(),
            }),
            node_groups: vec![SecurityGroup {
                id: "sg-1".to_owned(),
                name: "nodes".to_owned(),
                vpc_id: "vpc-1".to_owned(),
                self_rules: SelfRules { ingress: true, egress: true },
                egress_anywhere: true,
                tags: Default::default(),
            }],
        }
    }

    #[test]
    fn a_sound_network_lacks_nothing() {
        assert_eq!(sound().lacks(), []);
    }

    #[test]
    fn a_subnet_without_a_table_of_its_own_follows_the_main_one() {
        let footing = sound();
        assert_eq!(footing.table_of("subnet-b").map(|table| table.id.as_str()), Some("rtb-main"));
        let private: Vec<_> = footing.private_subnets().map(|subnet| subnet.id.as_str()).collect();
        assert_eq!(private, ["subnet-a", "subnet-b"]);
    }

    #[test]
    fn egress_to_everywhere_is_no_rule_to_itself() {
        let mut footing = sound();
        footing.node_groups[0].self_rules.egress = false;
        let expected = Lack::SelfRules { group: "sg-1".to_owned(), ingress: false, egress: true };
        assert_eq!(footing.lacks(), [expected]);
    }

    #[test]
    fn a_route_into_nothing_is_a_lacking_nat() {
        let mut footing = sound();
        footing.route_tables[2] = table("rtb-a", false, &["subnet-a"], Some(("nat-gone", "blackhole")));
        assert_eq!(footing.lacks(), [Lack::Nat { table: "rtb-a".to_owned(), dead_route: true }]);
        footing.route_tables[2] = table("rtb-a", false, &["subnet-a"], None);
        assert_eq!(footing.lacks(), [Lack::Nat { table: "rtb-a".to_owned(), dead_route: false }]);
    }

    #[test]
    fn an_endpoint_that_misses_a_table_is_named_with_the_table() {
        let mut footing = sound();
        footing.s3_endpoint.as_mut().unwrap().route_table_ids.pop();
        let expected = Lack::S3Endpoint { endpoint: Some("vpce-1".to_owned()), tables: vec!["rtb-a".to_owned()] };
        assert_eq!(footing.lacks(), [expected]);
    }

    #[test]
    fn a_cluster_in_public_subnets_lacks_private_ones() {
        let mut footing = sound();
        footing.cluster_subnet_ids = vec!["subnet-public".to_owned()];
        assert_eq!(footing.lacks(), [Lack::PrivateSubnets]);
    }
}
