//! Everything that preflight looks at, read at once and within `PREFLIGHT_SECONDS`.

use crate::{
    Eyes, Read, bounded,
    limits::SageMakerQuotas,
    looking::bounded_half,
    permissions::{self, Gaps},
    request::{Purpose, Request},
};
use cloud::{
    ec2::{Address, Find, InternetGateway, NatGateway, Subnet, Vpc, Zone},
    eks::{EksCluster, OfferedVersion},
    quotas::Quota,
    sagemaker::{Attached, TrainingPlan},
};
use footing::Footing;
use futures::future::join_all;
use std::collections::BTreeMap;
use subnets::Ground;

/// What was seen, each read by itself.
#[derive(Debug)]
pub struct Seen {
    /// Regions, and whether they are switched on.
    pub regions: Read<Vec<(String, bool)>>,
    /// Zones of the Region.
    pub zones: Read<Vec<Zone>>,
    /// Zone ids by wanted instance type.
    pub offerings: Read<BTreeMap<String, Vec<String>>>,
    /// VPCs of the Region.
    pub vpcs: Read<Vec<Vpc>>,
    /// What a network of ours would use up, with the quotas for it.
    pub network: Network,
    /// Names of the EKS clusters of the Region.
    pub eks_names: Read<Vec<String>>,
    /// What EKS offers.
    pub versions: Read<Vec<OfferedVersion>>,
    /// The EKS cluster of this name, its VPC, and what it stands on.
    pub site: Site,
    /// SageMaker's quotas.
    pub quotas: Read<SageMakerQuotas>,
    /// HyperPod clusters of the Region.
    pub hyperpod: Read<Vec<Attached>>,
    /// Training plans by ARN.
    pub plans: BTreeMap<String, Read<Option<TrainingPlan>>>,
    /// ARNs that IAM has for the administrators, in their order; none for those that IAM does not know.
    pub administrators: Vec<Read<Option<String>>>,
    /// What our roles lack.
    pub permissions: Read<Gaps>,
}

/// What a network of ours would use up.
#[derive(Debug)]
pub struct Network {
    /// Subnets of the Region.
    pub subnets: Read<Vec<Subnet>>,
    /// Elastic addresses.
    pub addresses: Read<Vec<Address>>,
    /// Internet gateways.
    pub internet_gateways: Read<Vec<InternetGateway>>,
    /// NAT gateways.
    pub nats: Read<Vec<NatGateway>>,
    /// Quotas, in the order of [`NETWORK_QUOTAS`].
    pub quotas: Vec<Read<Option<Quota>>>,
}

/// Service and code of the quotas that a new cluster's ground counts against: VPCs, internet gateways, NAT gateways of a
/// zone, elastic addresses, EKS clusters.
pub const NETWORK_QUOTAS: [(&str, &str, &str); 5] = [
    ("vpc", "L-F678F1CE", "VPCs per Region"),
    ("vpc", "L-A4707A72", "Internet gateways per Region"),
    ("vpc", "L-FE5A380F", "NAT gateways per Availability Zone"),
    ("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs"),
    ("eks", "L-1194D53C", "Clusters"),
];

/// Where the cluster is, or would be.
#[derive(Debug)]
pub struct Site {
    /// The EKS cluster.
    pub eks: Read<Option<EksCluster>>,
    /// The VPC that is there, for compute subnets; none if it is to be made.
    pub ground: Read<Option<Ground>>,
    /// What the EKS cluster stands on.
    pub footing: Read<Option<Footing>>,
    /// IAM principals that have an access entry.
    pub principals: Read<Vec<String>>,
}

impl Seen {
    /// Looks at everything that `request` may meet. Never fails: each read says for itself whether it succeeded.
    pub async fn look(eyes: &Eyes, request: &Request<'_>) -> Self {
        let types: Vec<&str> = request.groups().iter().map(|group| group.instance_type.as_str()).collect();
        let all = Find::default();
        let (regions, zones, offerings, vpcs) = (
            bounded("Regions", eyes.ec2.all_regions()),
            bounded("zones", eyes.ec2.zones()),
            bounded("zones of instance types", offerings(eyes, &types)),
            bounded("VPCs", eyes.ec2.vpcs(&all)),
        );
        let (eks_names, versions, quotas, hyperpod) = (
            bounded("EKS clusters", eyes.eks.names()),
            bounded("Kubernetes versions", eyes.eks.versions()),
            bounded("SageMaker quotas", eyes.quotas.of_service("sagemaker")),
            bounded("HyperPod clusters", eyes.hyperpod_clusters()),
        );
        let aws = Box::pin(async { tokio::join!(regions, zones, offerings, vpcs, Network::look(eyes, request)) });
        let clusters =
            Box::pin(async { tokio::join!(eks_names, versions, quotas, hyperpod, Site::look(eyes, request)) });
        let people = Box::pin(async {
            let missing = bounded("our permissions", permissions::look(eyes, request));
            tokio::join!(plans(eyes, request), administrators(eyes, request), missing)
        });
        let (aws, clusters, people) = tokio::join!(aws, clusters, people);
        let (regions, zones, offerings, vpcs, network) = aws;
        let (eks_names, versions, quotas, hyperpod, site) = clusters;
        let (plans, administrators, permissions) = people;
        Self {
            regions,
            zones,
            offerings,
            vpcs,
            network,
            eks_names,
            versions,
            site,
            quotas,
            hyperpod,
            plans,
            administrators,
            permissions,
        }
    }

    /// This account's name of a zone.
    pub fn zone_name(&self, zone_id: &str) -> Option<&str> {
        let zones = self.zones.as_ref().ok()?;
        zones.iter().find(|zone| zone.id == zone_id).map(|zone| zone.name.as_str())
    }

    /// The HyperPod cluster on the EKS cluster, if both are known.
    pub fn attached(&self) -> Option<&Attached> {
        let arn = &self.site.eks.as_ref().ok()?.as_ref()?.arn;
        self.hyperpod.as_ref().ok()?.iter().find(|cluster| cluster.eks_arn.as_ref() == Some(arn))
    }
}

impl Network {
    async fn look(eyes: &Eyes, request: &Request<'_>) -> Self {
        let all = Find::default();
        // Without a network to be made these figures say nothing.
        let wanted = if request.makes_network() { &NETWORK_QUOTAS[..] } else { &[] };
        let quotas =
            join_all(wanted.iter().map(|(service, code, name)| bounded(name, eyes.quotas.quota(service, code))));
        let (subnets, addresses, internet_gateways, nats, quotas) = tokio::join!(
            bounded("subnets", eyes.ec2.subnets(&all)),
            bounded("elastic addresses", eyes.ec2.addresses(&all)),
            bounded("internet gateways", eyes.ec2.internet_gateways(&all)),
            bounded("NAT gateways", eyes.ec2.nat_gateways(&all)),
            quotas,
        );
        Self { subnets, addresses, internet_gateways, nats, quotas }
    }
}

impl Site {
    async fn look(eyes: &Eyes, request: &Request<'_>) -> Self {
        let eks = bounded_half("the EKS cluster", eyes.eks.cluster(request.cluster.eks_name())).await;
        let found = eks.as_ref().ok().and_then(Option::as_ref);
        let ground = bounded_half("the VPC", ground(eyes, request, found));
        let footing = bounded_half("the network of the EKS cluster", async {
            match found {
                Some(eks) => footing::observe(&eyes.ec2, eks).await.map(Some),
                None => Ok(None),
            }
        });
        let principals = bounded_half("access entries", async {
            match found {
                Some(eks) if request.purpose == Purpose::Import => eyes.eks.access_principals(&eks.name).await,
                _ => Ok(Vec::new()),
            }
        });
        let (ground, footing, principals) = tokio::join!(ground, footing, principals);
        Self { eks, ground, footing, principals }
    }
}

/// The VPC: that of the EKS cluster, else that of the first given subnet.
async fn ground(eyes: &Eyes, request: &Request<'_>, eks: Option<&EksCluster>) -> Read<Option<Ground>> {
    let given = request.cluster.decisions.network.as_ref().and_then(|network| network.subnet_ids.first());
    let vpc = match (eks.filter(|_| request.purpose != Purpose::Create), given) {
        (Some(eks), _) => Some(eks.vpc_id.clone()).filter(|id| !id.is_empty()),
        (None, Some(subnet)) => {
            let subnets = eyes.ec2.subnets(&Find::id(subnet.as_str())).await?;
            subnets.into_iter().next().map(|subnet| subnet.vpc_id)
        }
        (None, None) => None,
    };
    match vpc {
        Some(vpc) => subnets::observe(&eyes.ec2, &vpc, request.cluster.id).await,
        None => Ok(None),
    }
}

async fn offerings(eyes: &Eyes, types: &[&str]) -> Read<BTreeMap<String, Vec<String>>> {
    if types.is_empty() { Ok(BTreeMap::new()) } else { eyes.offerings(types).await }
}

async fn plans(eyes: &Eyes, request: &Request<'_>) -> BTreeMap<String, Read<Option<TrainingPlan>>> {
    let arns: std::collections::BTreeSet<String> =
        request.groups().iter().filter_map(|group| group.plan).map(ToString::to_string).collect();
    let reads = arns.into_iter().map(|arn| async move {
        let plan = bounded("the training plan", eyes.hyperpod.training_plan(&arn)).await;
        (arn, plan)
    });
    join_all(reads).await.into_iter().collect()
}

async fn administrators(eyes: &Eyes, request: &Request<'_>) -> Vec<Read<Option<String>>> {
    let given = request.cluster.decisions.administrators.iter();
    join_all(given.map(|given| bounded("the administrator", eyes.iam.principal(given)))).await
}
