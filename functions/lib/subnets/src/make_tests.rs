//! Which subnet is used, and how a new one is made.

use super::*;
use cloud::{
    Tags,
    ec2::{NatGateway, Route, Vpc, VpcEndpoint},
};
use domain::{ids::ClusterId, naming::TAG_CLUSTER};
use engine::plan::Change as _;

fn cluster() -> ClusterId {
    ClusterId::from_parts(1_790_000_000_000, 7)
}

fn net(text: &str) -> Ipv4Net {
    text.parse().unwrap()
}

fn zone() -> ZoneId {
    "usw2-az2".parse().unwrap()
}

fn ours(change: &str) -> Tags {
    Tags::from([(TAG_CLUSTER.to_owned(), cluster().to_string()), (TAG_CHANGE.to_owned(), change.to_owned())])
}

fn subnet(id: &str, cidr: &str, free: u32, tags: Tags) -> Subnet {
    Subnet {
        id: id.to_owned(),
        vpc_id: "vpc-1".to_owned(),
        cidr: net(cidr),
        zone_id: "usw2-az2".to_owned(),
        zone_name: "us-west-2a".to_owned(),
        free_addresses: free,
        maps_public_addresses: false,
        tags,
    }
}

fn table(id: &str, subnets: &[&str], target: &str, tags: Tags) -> RouteTable {
    let route = |target: &str| Route {
        destination: "0.0.0.0/0".to_owned(),
        target: target.to_owned(),
        state: "active".to_owned(),
    };
    RouteTable {
        id: id.to_owned(),
        vpc_id: "vpc-1".to_owned(),
        main: false,
        subnet_ids: subnets.iter().map(|id| (*id).to_owned()).collect(),
        routes: if target.is_empty() { Vec::new() } else { vec![route(target)] },
        tags,
    }
}

fn ground() -> Ground {
    Ground {
        vpc: Vpc {
            id: "vpc-1".to_owned(),
            cidrs: vec![net("10.1.0.0/16")],
            state: "available".to_owned(),
            tags: ours("create-vpc"),
        },
        subnets: vec![subnet("subnet-eks", "10.1.0.0/24", 240, ours("create-subnet/private-1"))],
        route_tables: vec![table("rtb-eks", &["subnet-eks"], "nat-1", ours("create-route-table/private"))],
        nats: vec![NatGateway {
            id: "nat-1".to_owned(),
            subnet_id: "subnet-public".to_owned(),
            state: "available".to_owned(),
            failure: String::new(),
            tags: Tags::new(),
        }],
        endpoints: vec![VpcEndpoint {
            id: "vpce-1".to_owned(),
            service: "com.amazonaws.us-west-2.s3".to_owned(),
            state: "available".to_owned(),
            route_table_ids: vec!["rtb-eks".to_owned()],
            tags: ours("create-s3-endpoint"),
        }],
        other_cidrs: vec![net("10.0.0.0/16")],
        cluster_id: cluster(),
    }
}

fn need(addresses: u64) -> Need {
    Need { zone_id: zone(), addresses, chosen: None }
}

fn keys(ensured: &Ensured) -> Vec<String> {
    let key = |step: &Step<Change>| match step {
        Step::Change(change) => change.key(),
        Step::Wait(wait) => format!("wait {}", wait.on),
    };
    ensured.steps.iter().map(key).collect()
}

#[test]
fn a_new_subnet_comes_with_route_table_nat_route_and_s3_endpoint() {
    let ensured = ensure(&ground(), &[need(81)]).unwrap().remove(0);
    assert_eq!((ensured.origin, ensured.cidr, ensured.subnet_id.clone()), (Origin::New, net("10.1.16.0/20"), None));
    assert_eq!(
        keys(&ensured),
        [
            "create-compute-subnet/usw2-az2/10.1.16.0/20",
            "create-compute-route-table/usw2-az2",
            "route-compute-to-nat/usw2-az2",
            "route-compute-to-s3/usw2-az2",
            "associate-compute-routes/usw2-az2/10.1.16.0/20",
        ]
    );
}

#[test]
fn a_subnet_made_by_us_is_adopted_and_finished() {
    let mut world = ground();
    world.subnets.push(subnet("subnet-c", "10.1.16.0/20", 4091, ours("create-compute-subnet/usw2-az2/10.1.16.0/20")));
    let ensured = ensure(&world, &[need(81)]).unwrap().remove(0);
    assert_eq!((ensured.origin, ensured.subnet_id.as_deref()), (Origin::Ours, Some("subnet-c")));
    assert_eq!(keys(&ensured).len(), 4);
    world.route_tables.push(table("rtb-c", &["subnet-c"], "nat-1", ours("create-compute-route-table/usw2-az2")));
    assert_eq!(keys(&ensure(&world, &[need(81)]).unwrap()[0]), ["route-compute-to-s3/usw2-az2"]);
    world.endpoints[0].route_table_ids.push("rtb-c".to_owned());
    assert_eq!(keys(&ensure(&world, &[need(81)]).unwrap()[0]), Vec::<String>::new());
}

#[test]
fn sixty_four_p5_get_a_larger_subnet() {
    let ensured = ensure(&ground(), &[need(64 * 81)]).unwrap().remove(0);
    assert_eq!(ensured.cidr.prefix_len(), 19);
}

#[test]
fn our_eks_subnets_are_never_taken_for_nodes() {
    assert_eq!(ensure(&ground(), &[need(15)]).unwrap()[0].origin, Origin::New);
}

#[test]
fn a_private_subnet_with_room_is_borrowed_and_left_as_it_is() {
    let mut world = ground();
    world.subnets.push(subnet("subnet-theirs", "10.1.32.0/20", 4000, Tags::new()));
    world.route_tables.push(table("rtb-theirs", &["subnet-theirs"], "nat-1", Tags::new()));
    let ensured = ensure(&world, &[need(81)]).unwrap().remove(0);
    assert_eq!((ensured.origin, ensured.subnet_id.as_deref()), (Origin::Borrowed, Some("subnet-theirs")));
    assert!(ensured.steps.is_empty());
    world.subnets[1].free_addresses = 80;
    assert_eq!(ensure(&world, &[need(81)]).unwrap()[0].origin, Origin::New, "too few addresses");
    world.subnets[1].free_addresses = 4000;
    world.route_tables[1].routes[0].target = "igw-1".to_owned();
    assert_eq!(ensure(&world, &[need(81)]).unwrap()[0].origin, Origin::New, "public");
    world.subnets[1].zone_id = "usw2-az1".to_owned();
    assert_eq!(ensure(&world, &[need(81)]).unwrap()[0].origin, Origin::New, "another zone");
}

#[test]
fn a_chosen_subnet_is_checked_and_the_refusal_says_what_is_wrong() {
    let mut world = ground();
    world.subnets.push(subnet("subnet-0000000000000001a", "10.1.32.0/20", 50, Tags::new()));
    world.route_tables.push(table("rtb-theirs", &["subnet-0000000000000001a"], "nat-1", Tags::new()));
    let chosen = |id: &str| Need { chosen: Some(id.parse().unwrap()), ..need(81) };
    let refused = |world: &Ground, id: &str| ensure(world, &[chosen(id)]).unwrap_err();
    let failure = refused(&world, "subnet-0000000000000001a");
    assert_eq!(failure.code, ErrorCode::SubnetCapacity);
    assert!(failure.message.contains("50 free addresses, 81 are needed"), "{failure}");
    world.subnets[1].free_addresses = 90;
    assert_eq!(ensure(&world, &[chosen("subnet-0000000000000001a")]).unwrap()[0].origin, Origin::Chosen);
    assert_eq!(refused(&world, "subnet-0000000000000002b").code, ErrorCode::InvalidInput);
    world.route_tables[1].routes.clear();
    assert_eq!(refused(&world, "subnet-0000000000000001a").code, ErrorCode::NetworkUnreachable);
    world.subnets[1].zone_id = "usw2-az1".to_owned();
    assert!(refused(&world, "subnet-0000000000000001a").message.contains("is in zone usw2-az1"));
}

#[test]
fn a_full_vpc_gets_a_legal_second_block_first() {
    let mut world = ground();
    world.vpc.cidrs = vec![net("10.1.0.0/24")];
    let ensured = ensure(&world, &[need(81)]).unwrap().remove(0);
    assert_eq!(keys(&ensured)[..2], ["associate-cidr/100.64.0.0/16", "create-compute-subnet/usw2-az2/100.64.0.0/20"]);
    world.vpc.cidrs.extend((2..6).map(|second| net(&format!("100.{}.0.0/28", 64 + second))));
    let failure = ensure(&world, &[need(81)]).unwrap_err();
    assert_eq!(failure.code, ErrorCode::SubnetCapacity);
    assert!(failure.message.contains("5 blocks"), "{failure}");
}

#[test]
fn what_was_there_before_us_is_not_changed() {
    let mut world = ground();
    world.endpoints[0].tags.clear();
    assert!(!keys(&ensure(&world, &[need(81)]).unwrap()[0]).iter().any(|key| key.starts_with("route-compute-to-s3")));
    world.vpc.tags.clear();
    world.vpc.cidrs = vec![net("10.1.0.0/24")];
    let failure = ensure(&world, &[need(81)]).unwrap_err();
    assert!(failure.message.contains("was there before us"), "{failure}");
}

#[test]
fn two_zones_get_blocks_that_do_not_overlap() {
    let other = Need { zone_id: "usw2-az1".parse().unwrap(), ..need(81) };
    let ensured = ensure(&ground(), &[need(81), other]).unwrap();
    assert_eq!((ensured[0].cidr, ensured[1].cidr), (net("10.1.16.0/20"), net("10.1.32.0/20")));
}

#[test]
fn without_a_nat_gateway_nothing_is_begun() {
    let mut world = ground();
    world.nats.clear();
    assert_eq!(ensure(&world, &[need(81)]).unwrap_err().code, ErrorCode::DependencyMissing);
}

#[test]
fn a_nat_gateway_that_comes_up_is_waited_for() {
    let mut world = ground();
    world.nats[0].state = "pending".to_owned();
    assert_eq!(keys(&ensure(&world, &[need(81)]).unwrap()[0])[2], "wait aws");
}
