//! What a request for a cluster may say, and what it is told.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn read(value: Value) -> CreateCluster {
    serde_json::from_value(value).unwrap()
}

fn refusal(value: Value) -> String {
    serde_json::from_value::<CreateCluster>(value).unwrap_err().to_string()
}

fn findings(value: Value) -> Vec<(String, String)> {
    read(value).validate().into_iter().map(|error| (error.pointer, error.detail)).collect()
}

fn pointers(value: Value) -> Vec<String> {
    findings(value).into_iter().map(|(pointer, _)| pointer).collect()
}

const PLAN: &str = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/spring";

fn with_group(group: Value) -> Value {
    json!({"tag": "team-a", "region": "us-west-2", "hyperpod": {"instanceGroups": {"workers": group}}})
}

fn plain_group() -> Value {
    json!({"zoneId": "usw2-az2", "instanceType": "ml.p5.48xlarge", "instanceCount": 2})
}

fn group_with(changes: Value) -> Value {
    let mut group = plain_group();
    for (key, value) in changes.as_object().unwrap() {
        group[key] = value.clone();
    }
    with_group(group)
}

#[test]
fn a_tag_and_a_region_are_enough() {
    let smallest = read(json!({"tag": "team-a", "region": "us-west-2"}));
    assert_eq!(smallest.validate(), []);
    assert_eq!(serde_json::to_value(&smallest).unwrap(), json!({"tag": "team-a", "region": "us-west-2"}));
}

#[test]
fn a_full_request_is_taken_and_written_back_as_it_was() {
    let full = json!({
        "tag": "team-a", "region": "us-west-2", "kubernetesVersion": "1.34", "vpcCidr": "10.7.0.0/16",
        "administrators": ["arn:aws:iam::111122223333:role/Admin"],
        "hyperpod": {
            "instanceGroups": {
                "plan": {"zoneId": "usw2-az2", "instanceType": "ml.p5.48xlarge", "instanceCount": 2,
                    "capacityType": "training-plan", "trainingPlanArn": PLAN, "volumeSizeGib": 500},
                "spot": {"zoneId": "usw2-az1", "instanceType": "ml.g5.xlarge", "instanceCount": 0, "capacityType": "spot"},
            },
            "systemGroup": {"zoneId": "usw2-az1", "instanceType": "ml.m5.4xlarge", "instanceCount": 1},
        },
        "storage": {"prefix": "teams/a=1/"},
    });
    assert_eq!(findings(full.clone()), []);
    assert_eq!(serde_json::to_value(read(full.clone())).unwrap(), full);
}

#[test]
fn zero_is_a_count_and_absent_capacity_is_on_demand() {
    let request = read(group_with(json!({"instanceCount": 0})));
    assert_eq!(request.validate(), []);
    let group = request.hyperpod.unwrap().instance_groups.into_values().next().unwrap();
    assert_eq!((group.instance_count, group.capacity_type), (0, CapacityType::OnDemand));
}

#[test]
fn a_count_is_a_whole_number_that_is_not_negative() {
    for bad in [json!(-1), json!("0"), json!(1.5), json!(null), json!(5_000_000_000_u64)] {
        refusal(group_with(json!({"instanceCount": bad})));
    }
    assert_eq!(pointers(group_with(json!({"instanceCount": 6758}))), Vec::<String>::new());
    assert_eq!(
        pointers(group_with(json!({"instanceCount": 6759}))),
        ["/hyperpod/instanceGroups/workers/instanceCount"]
    );
}

#[test]
fn an_unknown_member_is_refused_by_name() {
    let error = refusal(json!({"tag": "a", "region": "us-west-2", "zone": "usw2-az1"}));
    assert!(error.contains("unknown field `zone`"), "{error}");
    let error = refusal(group_with(json!({"count": 1})));
    assert!(error.contains("unknown field `count`"), "{error}");
}

#[test]
fn null_is_not_absent() {
    for member in ["kubernetesVersion", "vpcCidr", "network", "hyperpod", "storage"] {
        refusal(json!({"tag": "a", "region": "us-west-2", member: null}));
    }
    refusal(group_with(json!({"trainingPlanArn": null})));
}

#[test]
fn br_055_a_plan_stands_with_its_capacity_type_and_with_no_other() {
    let at = ["/hyperpod/instanceGroups/workers/trainingPlanArn"];
    assert_eq!(pointers(group_with(json!({"capacityType": "training-plan"}))), at);
    assert_eq!(pointers(group_with(json!({"capacityType": "spot", "trainingPlanArn": PLAN}))), at);
    assert_eq!(pointers(group_with(json!({"trainingPlanArn": PLAN}))), at);
    assert_eq!(
        findings(group_with(
            json!({"capacityType": "training-plan", "trainingPlanArn": PLAN.replace("us-west-2", "us-east-1")})
        )),
        [(at[0].to_owned(), "the plan is in us-east-1, the cluster in us-west-2".to_owned())]
    );
    assert_eq!(
        pointers(group_with(
            json!({"capacityType": "training-plan", "trainingPlanArn": PLAN, "instanceType": "ml.g5.xlarge"})
        )),
        ["/hyperpod/instanceGroups/workers/instanceType"]
    );
}

#[test]
fn an_unknown_type_passes_and_a_type_without_its_prefix_is_told_what_is_meant() {
    assert_eq!(findings(group_with(json!({"instanceType": "ml.p9.48xlarge"}))), []);
    let error = refusal(group_with(json!({"instanceType": "g5.xlarge"})));
    assert!(error.contains("did you mean ml.g5.xlarge?"), "{error}");
}

#[test]
fn every_finding_is_returned_and_not_the_first() {
    let found = pointers(json!({
        "tag": "team-a", "region": "us-west-2", "kubernetesVersion": "1.20", "vpcCidr": "10.0.0.1/16",
        "administrators": ["arn:aws:iam::111122223333:role/A", "arn:aws:iam::111122223333:role/A"],
        "network": {"subnetIds": ["subnet-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60718"]},
        "hyperpod": {
            "instanceGroups": {
                "a": {"zoneId": "use1-az1", "instanceType": "ml.p5.48xlarge", "instanceCount": 7000, "volumeSizeGib": 0},
                "system": {"zoneId": "usw2-az1", "instanceType": "ml.p5.48xlarge", "instanceCount": 1},
            },
            "systemGroup": {"zoneId": "use1-az1", "instanceType": "ml.g5.xlarge", "instanceCount": 0},
        },
        "storage": {"prefix": "run[1]/"},
    }));
    assert_eq!(
        found,
        [
            "/kubernetesVersion",
            "/vpcCidr",
            "/vpcCidr",
            "/administrators/1",
            "/network/subnetIds/1",
            "/hyperpod/instanceGroups/a/zoneId",
            "/hyperpod/instanceGroups/a/instanceCount",
            "/hyperpod/instanceGroups/a/volumeSizeGib",
            "/hyperpod/instanceGroups/system",
            "/hyperpod/systemGroup/zoneId",
            "/hyperpod/systemGroup/instanceCount",
            "/hyperpod/systemGroup/instanceType",
            "/hyperpod/systemGroup/instanceType",
            "/storage/prefix",
        ]
    );
}

#[test]
fn capacity_without_a_group_is_told_apart_from_no_capacity() {
    let request = json!({"tag": "a", "region": "us-west-2", "hyperpod": {}});
    assert_eq!(pointers(request), ["/hyperpod/instanceGroups"]);
}

#[test]
fn at_most_a_hundred_groups_with_the_system_group_among_them() {
    let groups = |count: usize| -> Value {
        (0..count).map(|number| (format!("g{number}"), plain_group())).collect::<serde_json::Map<_, _>>().into()
    };
    let system = json!({"zoneId": "usw2-az1", "instanceType": "ml.m5.4xlarge", "instanceCount": 1});
    let request = |count, system: Option<&Value>| {
        let mut request = json!({"tag": "a", "region": "us-west-2", "hyperpod": {"instanceGroups": groups(count)}});
        if let Some(system) = system {
            request["hyperpod"]["systemGroup"] = system.clone();
        }
        pointers(request)
    };
    assert_eq!(request(100, None), Vec::<String>::new());
    assert_eq!(request(101, None), ["/hyperpod/instanceGroups"]);
    assert_eq!(request(100, Some(&system)), ["/hyperpod/instanceGroups"]);
}

#[test]
fn a_prefix_names_the_character_that_offends() {
    let detail = |prefix: &str| {
        let request = json!({"tag": "a", "region": "us-west-2", "storage": {"prefix": prefix}});
        findings(request).pop().map(|(_, detail)| detail).unwrap_or_default()
    };
    assert!(detail("run[1]/").starts_with("'['"));
    assert!(detail("a b").starts_with("' '"));
    for bad in ["", "/", "/a", "a//b", "../x", "a/./b"] {
        assert!(detail(bad).contains("between the slashes"), "{bad:?}");
    }
    assert!(detail(&"a".repeat(513)).contains("512"));
    for good in ["a", "a/", "teams/a=1/run.2_3-4"] {
        assert_eq!(detail(good), "");
    }
}

#[test]
fn a_vpc_needs_room_for_nodes() {
    let request = |cidr: &str| json!({"tag": "a", "region": "us-west-2", "vpcCidr": cidr});
    assert!(findings(request("10.1.0.0/25"))[0].1.contains("expected /16 to /24"));
    assert_eq!(read(request("10.1.0.0/20")).vpc_net(), Some("10.1.0.0/20".parse().unwrap()));
}

/// Schema keywords that some MCP clients do not take, wherever they stand.
fn unportable(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let here = format!("{at}/{key}");
                let nullable = key == "type" && value.is_array() || key == "nullable";
                let integer_format = key == "format" && value.as_str().is_some_and(|format| format.starts_with("uint"));
                if nullable || integer_format {
                    found.push(here.clone());
                }
                unportable(value, &here, found);
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| unportable(entry, at, found)),
        _ => {}
    }
}

#[test]
fn the_schemas_are_portable_and_carry_the_bounds() {
    let mcp = serde_json::to_value(schemars::schema_for!(CreateCluster)).unwrap();
    let rest: Vec<Value> = {
        let mut schemas = vec![(String::new(), <CreateCluster as utoipa::PartialSchema>::schema())];
        <CreateCluster as utoipa::ToSchema>::schemas(&mut schemas);
        schemas.iter().map(|(_, schema)| serde_json::to_value(schema).unwrap()).collect()
    };
    for schema in rest.iter().chain([&mcp]) {
        let mut found = Vec::new();
        unportable(schema, "", &mut found);
        assert_eq!(found, Vec::<String>::new());
        let text = schema.to_string();
        assert!(!text.contains("oneOf\":[{\"type\":\"null"), "{text}");
    }
    assert_eq!(mcp["required"], json!(["tag", "region"]));
    assert_eq!(mcp["additionalProperties"], json!(false));
    let group = &mcp["$defs"]["GroupDecision"];
    assert_eq!(
        (&group["properties"]["instanceCount"]["minimum"], &group["properties"]["instanceCount"]["maximum"]),
        (&json!(0), &json!(6758))
    );
    assert_eq!(group["properties"]["volumeSizeGib"]["maximum"], json!(16384));
    assert_eq!(group["required"], json!(["zoneId", "instanceType", "instanceCount"]));
    let both = rest.iter().map(Value::to_string).collect::<String>();
    for bound in ["\"maximum\":6758", "\"maximum\":16384", "\"maxItems\":50", "\"minItems\":2", "\"maxLength\":512"] {
        assert!(both.contains(bound), "{bound} is missing in {both}");
    }
}

proptest! {
    /// Presence is all that counts: no number reads as absent.
    #[test]
    fn a_number_that_is_given_is_kept(count in 0_u32..=6758, size in 1_u32..=16384) {
        let request = read(group_with(json!({"instanceCount": count, "volumeSizeGib": size})));
        prop_assert_eq!(request.validate(), Vec::new());
        let back = serde_json::to_value(&request).unwrap();
        let group = &back["hyperpod"]["instanceGroups"]["workers"];
        prop_assert_eq!((&group["instanceCount"], &group["volumeSizeGib"]), (&json!(count), &json!(size)));
    }

    #[test]
    fn every_pointer_leads_into_the_request(count in any::<u32>(), size in any::<u32>(), zone in "(usw2|use1)-az[1-4]", prefix in ".{0,20}") {
        let mut value = group_with(json!({"instanceCount": count, "volumeSizeGib": size, "zoneId": zone}));
        value["storage"] = json!({"prefix": prefix});
        for error in read(value.clone()).validate() {
            prop_assert!(value.pointer(&error.pointer).is_some(), "{}", error.pointer);
        }
    }
}
