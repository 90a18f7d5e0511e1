//! Subnets of a cluster's VPC: where they lead, whose they are, and what they are for.

use crate::{Api, cursor, problems};
use cloud::{
    Tags,
    ec2::{Find, RouteTable, Subnet, VpcEndpoint},
    eks::EksCluster,
};
use contract::{
    problem::Problem,
    subnets::{ListSubnets, SubnetList, SubnetView},
};
use domain::naming::{TAG_CHANGE, TAG_CLUSTER};
use engine::record::Cluster;
use preflight::{Eyes, Read, bounded};

/// What the VPC holds.
struct Vpc {
    id: String,
    subnets: Vec<Subnet>,
    tables: Vec<RouteTable>,
    endpoints: Vec<VpcEndpoint>,
    /// Subnets of the EKS cluster.
    of_eks: Vec<String>,
    /// Subnets of the HyperPod cluster.
    of_hyperpod: Vec<String>,
}

pub(crate) async fn list_subnets(api: &Api, input: ListSubnets) -> Result<SubnetList, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    let list = format!("subnets of {}", cluster.id);
    let after = cursor::open(&list, input.cursor.as_deref())?;
    let eyes = api.eyes(&cluster.target.region).await?;
    let vpc = bounded("the VPC", look(&eyes, &cluster)).await.map_err(problems::of_trouble)?;
    let Some(vpc) = vpc else { return Ok(SubnetList { vpc_id: None, items: Vec::new(), next_cursor: None }) };
    let items: Vec<SubnetView> = vpc.subnets.iter().map(|subnet| vpc.view(subnet, &cluster)).collect();
    // A subnet stays in its zone for life.
    let key = |one: &SubnetView| format!("{}/{}", one.zone_id, one.subnet_id);
    let (items, next) = cursor::cut(items, after.as_deref(), input.limit, key);
    Ok(SubnetList { vpc_id: Some(vpc.id), items, next_cursor: next.map(|next| cursor::seal(&list, &next)) })
}

async fn look(eyes: &Eyes, cluster: &Cluster) -> Read<Option<Vpc>> {
    let eks = eyes.eks.cluster(cluster.eks_name()).await?;
    let Some(id) = vpc_id(eyes, cluster, eks.as_ref()).await? else { return Ok(None) };
    let inside = Find::by("vpc-id", id.as_str());
    let (subnets, tables, endpoints, attached) = tokio::try_join!(
        eyes.ec2.subnets(&inside),
        eyes.ec2.route_tables(&inside),
        eyes.ec2.vpc_endpoints(&inside),
        async {
            match &eks {
                Some(eks) => eyes.hyperpod.cluster_on(&eks.arn).await,
                None => Ok(None),
            }
        },
    )?;
    let of_hyperpod = attached.map(|cluster| {
        let of_groups = cluster.groups.iter().flat_map(|group| cluster.subnets_of(group).to_vec());
        of_groups.chain(cluster.network.subnet_ids.clone()).collect()
    });
    let of_eks = eks.map(|eks| eks.subnet_ids).unwrap_or_default();
    Ok(Some(Vpc { id, subnets, tables, endpoints, of_eks, of_hyperpod: of_hyperpod.unwrap_or_default() }))
}

/// The VPC of the EKS cluster; before there is one, ours by its tag, or that of the given subnets.
async fn vpc_id(eyes: &Eyes, cluster: &Cluster, eks: Option<&EksCluster>) -> Read<Option<String>> {
    if let Some(id) = eks.map(|eks| eks.vpc_id.clone()).filter(|id| !id.is_empty()) {
        return Ok(Some(id));
    }
    if let Some(given) = cluster.decisions.network.as_ref().and_then(|network| network.subnet_ids.first()) {
        let subnets = eyes.ec2.subnets(&Find::id(given.as_str())).await?;
        return Ok(subnets.into_iter().next().map(|subnet| subnet.vpc_id));
    }
    let ours = eyes.ec2.vpcs(&Find::tagged(TAG_CLUSTER, cluster.id.to_string())).await?;
    Ok(ours.into_iter().next().map(|vpc| vpc.id))
}

impl Vpc {
    fn table_of(&self, subnet: &Subnet) -> Option<&RouteTable> {
        let own = self.tables.iter().find(|table| table.subnet_ids.contains(&subnet.id));
        own.or_else(|| self.tables.iter().find(|table| table.main))
    }

    fn view(&self, subnet: &Subnet, cluster: &Cluster) -> SubnetView {
        let table = self.table_of(subnet);
        let route = default_route(table);
        SubnetView {
            subnet_id: subnet.id.clone(),
            name: subnet.tags.get("Name").cloned().filter(|name| !name.is_empty()),
            cidr: subnet.cidr.to_string(),
            zone_id: subnet.zone_id.clone(),
            zone_name: subnet.zone_name.clone(),
            free_addresses: subnet.free_addresses,
            default_route: route.to_owned(),
            s3_endpoint: table.is_some_and(|table| self.leads_to_s3(table)),
            ownership: self.ownership(subnet, cluster).to_owned(),
            purpose: self.purpose(subnet, route).to_owned(),
        }
    }

    fn leads_to_s3(&self, table: &RouteTable) -> bool {
        let alive = self.endpoints.iter().filter(|endpoint| !endpoint.state.starts_with("delet"));
        alive.filter(|endpoint| endpoint.service.ends_with(".s3")).any(|one| one.route_table_ids.contains(&table.id))
    }

    /// Owned by our tag; foreign by the tag of another cluster of ours; borrowed if it was there before us.
    fn ownership(&self, subnet: &Subnet, cluster: &Cluster) -> &'static str {
        match subnet.tags.get(TAG_CLUSTER) {
            Some(id) if *id == cluster.id.to_string() => "owned",
            Some(_) if !self.is_used(&subnet.id) => "foreign",
            Some(_) | None => "borrowed",
        }
    }

    fn is_used(&self, id: &String) -> bool {
        self.of_eks.contains(id) || self.of_hyperpod.contains(id)
    }

    /// By the change that made it, else by who uses it.
    fn purpose(&self, subnet: &Subnet, route: &str) -> &'static str {
        let made_as = made_as(&subnet.tags);
        if made_as.starts_with("create-compute-subnet/") || self.of_hyperpod.contains(&subnet.id) {
            return "compute";
        }
        let of_eks = made_as.starts_with("create-subnet/") || self.of_eks.contains(&subnet.id);
        match (of_eks, made_as.contains("/public") || route == "internet") {
            (true, true) => "eks-public",
            (true, false) => "eks-private",
            (false, _) => "other",
        }
    }
}

fn made_as(tags: &Tags) -> &str {
    tags.get(TAG_CHANGE).map_or("", String::as_str)
}

/// Where a table's default route leads, in a word; one that leads to something gone leads nowhere.
fn default_route(table: Option<&RouteTable>) -> &'static str {
    let route = table.and_then(RouteTable::default_route).filter(|route| route.state != "blackhole");
    match route.map(|route| route.target.as_str()) {
        None => "none",
        Some(target) if target.starts_with("nat-") => "nat",
        Some(target) if target.starts_with("igw-") => "internet",
        Some(_) => "other",
    }
}
