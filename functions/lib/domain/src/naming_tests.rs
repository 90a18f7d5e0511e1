//! Names as literals (they must not change), and their limits, characters and distinctness over arbitrary tags.

use proptest::prelude::*;

use super::*;

fn tag(text: &str) -> ClusterTag {
    text.parse().unwrap()
}

fn id(random: u128) -> ClusterId {
    ClusterId::from_parts(1_800_000_000_000, random)
}

fn zone() -> ZoneId {
    "usw2-az2".parse().unwrap()
}

#[test]
fn names_are_these_and_stay_so() {
    let team = tag("team-a");
    let names = Names::of(&team, id(7));
    assert_eq!(names.eks_cluster(), "team-a");
    assert_eq!(names.hyperpod_cluster().unwrap().as_str(), "team-a");
    assert_eq!(names.role(Role::Cluster), "team-a-eks-cluster-a67860b21c");
    assert_eq!(names.role(Role::Execution), "team-a-hyperpod-execution-a67860b21c");
    assert_eq!(names.role(Role::S3Driver), "team-a-s3-csi-driver-a67860b21c");
    assert_eq!(names.inline_policy(Role::Execution), "hyperpod-execution");
    assert_eq!(names.security_group(), "hyperpod-instantstart-team-a");
    assert_eq!(names.network(&NetworkPart::ComputeSubnet(zone())), "team-a-compute-usw2-az2");
    assert_eq!(names.eks_log_group(), "/aws/eks/team-a/cluster");
    assert_eq!(names.label(), "team-a");
    assert_eq!(names.volume_handle(), "hyperpod-instantstart-01mcc5rm000000000000000007");
    assert_eq!(names.client_token(1, "create-nat"), "5c5e36a70036e7ca2214e95175a44d944f959c2f");
    let long = tag(&"a".repeat(100));
    let names = Names::of(&long, id(7));
    assert_eq!(
        names.hyperpod_cluster().unwrap().as_str(),
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-7ad305a587"
    );
    let operation = OperationId::from_parts(1_800_000_000_000, 9);
    assert_eq!(execution(operation, 3), "01MCC5RM000000000000000009-3");
    assert_eq!(probe("storage-probe", operation, 3), "storage-probe-01mcc5rm000000000000000009-3");
    let name = tag("team_a-");
    assert_eq!(Names::of(&name, id(7)).hyperpod_cluster().unwrap().as_str(), "team-a-d6b2a7e1e8");
    assert_eq!(
        hyperpod_log_group(&"team-a".parse().unwrap(), "abcdefghijkl"),
        "/aws/sagemaker/Clusters/team-a/abcdefghijkl"
    );
}

#[test]
fn the_project_bucket_is_one_of_an_account_and_region() {
    let (account, region) = ("111122223333".parse().unwrap(), "us-west-2".parse().unwrap());
    let bucket = project_bucket("sagemaker-instantstart", &account, &region);
    assert_eq!(bucket.unwrap(), "sagemaker-instantstart-us-west-2-111122223333");
    for bad in ["instantstart", "sagemaker-", "sagemaker-A", "sagemaker-a.b", "sagemaker-abcdefghijklmno"] {
        let error = project_bucket(bad, &account, &region).unwrap_err().to_string();
        assert!(error.contains("expected `sagemaker-`"), "{bad}: {error}");
    }
    let longest: Region = "us-abcdefghijklmnopqrst-1".parse().unwrap();
    let bucket = project_bucket("sagemaker-abcdefghijklmn", &account, &longest).unwrap();
    assert_eq!(bucket.len(), limits::S3_BUCKET_NAME);
}

#[test]
fn scripts_are_named_by_their_content_alone() {
    let one = script_prefix(&[("on_create.sh", b"a"), ("lib.sh", b"b")]);
    assert_eq!(one, script_prefix(&[("lib.sh", b"b"), ("on_create.sh", b"a")]));
    assert_ne!(one, script_prefix(&[("on_create.sh", b"a"), ("lib.sh", b"c")]));
    assert_ne!(one, script_prefix(&[("on_create.sh", b"ab"), ("lib.sh", b"")]));
    assert_eq!(one, "lifecycle/1eb634afca8cdacb753e0d77de0612ba");
}

#[test]
fn a_new_incarnation_has_another_token_and_a_new_life_other_roles() {
    let team = tag("team-a");
    let (first, second) = (Names::of(&team, id(1)), Names::of(&team, id(2)));
    assert_ne!(first.client_token(1, "create-nat"), first.client_token(2, "create-nat"));
    assert_ne!(first.client_token(1, "create-nat"), first.client_token(1, "create-eks"));
    assert_ne!(first.client_token(11, "x"), first.client_token(1, "1x"));
    assert_ne!(first.client_token(1, "create-nat"), second.client_token(1, "create-nat"));
    assert_ne!(first.role(Role::Execution), second.role(Role::Execution));
}

#[test]
fn tags_that_differ_behind_the_cut_or_in_a_changed_character_have_different_names() {
    let stem = "a".repeat(99);
    let hyperpod = |text: &str| Names::of(&tag(text), id(1)).hyperpod_cluster().unwrap();
    assert_ne!(hyperpod(&format!("{stem}x")), hyperpod(&format!("{stem}y")));
    assert_ne!(hyperpod("team_a"), hyperpod("team-a"));
    assert_ne!(hyperpod("team-a-"), hyperpod("team-a"));
}

fn any_tag() -> impl Strategy<Value = ClusterTag> {
    "[0-9A-Za-z][A-Za-z0-9_-]{0,99}".prop_map(|text| tag(&text))
}

proptest! {
    #[test]
    fn every_name_keeps_to_its_service(tag in any_tag(), random in any::<u128>(), attempt in any::<u32>()) {
        let names = Names::of(&tag, id(random));
        prop_assert!(names.hyperpod_cluster().is_ok());
        for role in Role::ALL {
            let name = names.role(role);
            prop_assert!(name.len() <= limits::IAM_ROLE_NAME, "{}", name);
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c)), "{}", name);
            prop_assert!(name.contains(role.as_str()), "the purpose stays readable in {}", name);
            prop_assert!(names.inline_policy(role).len() <= limits::IAM_POLICY_NAME);
        }
        let group = names.security_group();
        prop_assert!(group.len() <= limits::SECURITY_GROUP_NAME && !group.starts_with("sg-"));
        prop_assert!(names.network(&NetworkPart::ComputeRoutes(zone())).len() <= limits::TAG_VALUE);
        prop_assert!(names.eks_log_group().len() <= limits::LOG_GROUP_NAME);
        let label = names.label();
        prop_assert!(label.len() <= limits::KUBERNETES_LABEL && ends_alphanumeric(&label), "{}", label);
        let token = names.client_token(attempt, tag.as_str());
        prop_assert!(token.len() <= limits::EC2_CLIENT_TOKEN && token.is_ascii());
        let operation = OperationId::from_parts(1_800_000_000_000, random);
        prop_assert!(execution(operation, attempt).len() <= limits::STS_SESSION_NAME.min(limits::STEP_FUNCTIONS_NAME));
        let probe = probe("storage-probe", operation, attempt);
        prop_assert!(probe.len() <= limits::KUBERNETES_LABEL && ends_alphanumeric(&probe));
        prop_assert!(probe.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
    }

    #[test]
    fn different_tags_have_different_names(a in any_tag(), b in any_tag()) {
        prop_assume!(a != b);
        let (one, other) = (Names::of(&a, id(1)), Names::of(&b, id(2)));
        prop_assert_ne!(one.hyperpod_cluster().unwrap(), other.hyperpod_cluster().unwrap());
        prop_assert_ne!(one.label(), other.label());
        prop_assert_ne!(one.role(Role::Cluster), other.role(Role::Cluster));
        prop_assert_ne!(one.security_group(), other.security_group());
    }

    #[test]
    fn a_tag_that_sagemaker_takes_is_the_name(text in "[a-zA-Z0-9](-?[a-zA-Z0-9]){0,31}") {
        let tag = tag(&text);
        let name = Names::of(&tag, id(1)).hyperpod_cluster().unwrap();
        prop_assert_eq!(name.as_str(), text);
    }
}

#[test]
fn br_005_a_hundred_characters_fit_everywhere_and_tags_that_begin_alike_have_roles_of_their_own() {
    let long = tag(&"a".repeat(limits::EKS_CLUSTER_NAME));
    let region = "ap-southeast-2";
    let names = Names::of(&long, id(7));
    for role in Role::ALL {
        assert!(names.role(role).len() <= limits::IAM_ROLE_NAME, "{}", names.role(role));
        assert!(names.inline_policy(role).len() <= limits::IAM_POLICY_NAME);
        assert_eq!(names.role(role), Names::of(&long, id(7)).role(role), "the same again is the same");
    }
    assert!(names.hyperpod_cluster().unwrap().as_str().len() <= limits::HYPERPOD_NAME);
    assert!(names.security_group().len() <= limits::SECURITY_GROUP_NAME);
    assert!(names.label().len() <= limits::KUBERNETES_LABEL);
    assert!(names.eks_log_group().len() <= limits::LOG_GROUP_NAME);
    let bucket = project_bucket("sagemaker-hyperpod", &"111122223333".parse().unwrap(), &region.parse().unwrap());
    assert!(bucket.unwrap().len() <= limits::S3_BUCKET_NAME);

    let (one, other) = (tag(&format!("{}-one", "b".repeat(60))), tag(&format!("{}-other", "b".repeat(60))));
    for role in Role::ALL {
        assert_ne!(Names::of(&one, id(7)).role(role), Names::of(&other, id(8)).role(role));
    }
    let refused = "a".repeat(limits::EKS_CLUSTER_NAME + 1).parse::<ClusterTag>().unwrap_err().to_string();
    assert!(refused.contains("100"), "{refused}");
}
