//! Every name that we give: in AWS, in Kubernetes, for executions, sessions and client tokens. Computed, never stored.
//!
//! A name is cut to its service's limit and then carries a hash of what it was made from, so that two clusters whose
//! tags differ only behind the cut have different names. Changing a rule here orphans what exists: the tests hold
//! literal names.

use sha2::{Digest, Sha256};

use crate::ids::{AccountId, ClusterId, ClusterTag, HyperPodClusterName, InvalidId, OperationId, Region, ZoneId};
use crate::limits;

/// The path of every IAM role that we create.
pub const ROLE_PATH: &str = "/hyperpod-instantstart/";
/// The Kubernetes field manager of everything that we apply.
pub const FIELD_MANAGER: &str = "hyperpod-instantstart";
/// Tag key: the id of the cluster that a resource belongs to. It proves ownership.
pub const TAG_CLUSTER: &str = "hyperpod-instantstart:cluster";
/// Tag key: the operation that made a resource.
pub const TAG_OPERATION: &str = "hyperpod-instantstart:operation";
/// Tag key: the change of the operation that made a resource.
pub const TAG_CHANGE: &str = "hyperpod-instantstart:change";
/// Tag key: the attempt of the operation that made a resource, where its failure is told from an earlier one's by it.
pub const TAG_ATTEMPT: &str = "hyperpod-instantstart:attempt";
/// The claim on the project bucket that workloads name.
pub const STORAGE_CLAIM: &str = "s3-claim";
/// The volume behind the claim.
pub const STORAGE_VOLUME: &str = "s3-pv";
/// The entry file of the lifecycle scripts.
pub const LIFECYCLE_ENTRY: &str = "on_create.sh";
/// The instance group that holds what the cluster itself needs.
pub const SYSTEM_GROUP: &str = "system";

/// What a role of a cluster is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The EKS control plane's.
    Cluster,
    /// The HyperPod nodes'.
    Execution,
    /// The Mountpoint for S3 CSI driver's.
    S3Driver,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 3] = [Role::Cluster, Role::Execution, Role::S3Driver];

    /// The word in the role's name, also the name of its inline policy.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cluster => "eks-cluster",
            Self::Execution => "hyperpod-execution",
            Self::S3Driver => "s3-csi-driver",
        }
    }
}

/// As what our functions come to Kubernetes. They assume one of these two roles, so that a cluster has two access entries
/// of ours whatever functions a release adds or drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KubernetesRole {
    /// Looks at everything, changes nothing.
    Reader,
    /// Installs and removes.
    Writer,
}

impl KubernetesRole {
    /// Both.
    pub const ALL: [KubernetesRole; 2] = [KubernetesRole::Reader, KubernetesRole::Writer];

    /// Its name; it is the deployment's, without a path, as those of the functions.
    pub fn name(self) -> String {
        function_role(match self {
            Self::Reader => "kubernetes-reader",
            Self::Writer => "kubernetes-writer",
        })
    }

    /// Its ARN in the account of the deployment.
    pub fn arn(self, region: &Region, account: &str) -> String {
        format!("arn:{}:iam::{account}:role/{}", region.partition(), self.name())
    }
}

/// A piece of a cluster's network, for its `Name` tag.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetworkPart {
    /// The VPC.
    Vpc,
    /// The internet gateway.
    InternetGateway,
    /// The NAT gateway.
    NatGateway,
    /// The NAT gateway's address.
    NatAddress,
    /// The S3 gateway endpoint.
    S3Endpoint,
    /// The security group of nodes and control plane.
    SecurityGroup,
    /// A public subnet.
    PublicSubnet(ZoneId),
    /// A private subnet for the EKS control plane.
    PrivateSubnet(ZoneId),
    /// A subnet for HyperPod nodes.
    ComputeSubnet(ZoneId),
    /// The route table of the public subnets.
    PublicRoutes,
    /// The route table of the private subnets.
    PrivateRoutes,
    /// The route table of a zone's compute subnets.
    ComputeRoutes(ZoneId),
}

/// The names of one cluster in one life.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    tag: &'a ClusterTag,
    id: ClusterId,
}

impl<'a> Names<'a> {
    /// The names of the cluster with this tag and id.
    pub fn of(tag: &'a ClusterTag, id: ClusterId) -> Self {
        Self { tag, id }
    }

    /// The EKS cluster's name: the tag.
    pub fn eks_cluster(&self) -> &'a str {
        self.tag.as_str()
    }

    /// The HyperPod cluster's name: the tag as far as SageMaker's rule goes (63 characters, no underscore, no hyphen at
    /// the end).
    ///
    /// # Errors
    /// None for any legal tag; the type is checked all the same.
    pub fn hyperpod_cluster(&self) -> Result<HyperPodClusterName, InvalidId> {
        fitted(self.tag.as_str(), |c| c.is_ascii_alphanumeric(), limits::HYPERPOD_NAME).parse()
    }

    /// A role's name, without its path. Roles are unique in an account whatever their Region and path, and a role that
    /// an earlier life of the tag left behind must not be in the way: the hash is over the cluster's id.
    pub fn role(&self, role: Role) -> String {
        let suffix = format!("-{}-{}", role.as_str(), short_hash(&[&self.id.to_string()]));
        let room = limits::IAM_ROLE_NAME.saturating_sub(suffix.len());
        format!("{}{suffix}", cut(self.tag.as_str(), room))
    }

    /// The name of a role's inline policy: a role has one.
    pub fn inline_policy(&self, role: Role) -> &'static str {
        role.as_str()
    }

    /// The security group's name. EC2 refuses names that begin with `sg-`, which a tag may.
    pub fn security_group(&self) -> String {
        format!("hyperpod-instantstart-{}", self.tag)
    }

    /// The `Name` tag of a piece of the network.
    pub fn network(&self, part: &NetworkPart) -> String {
        let tag = self.tag;
        match part {
            NetworkPart::Vpc => format!("{tag}-vpc"),
            NetworkPart::InternetGateway => format!("{tag}-internet"),
            NetworkPart::NatGateway => format!("{tag}-nat"),
            NetworkPart::NatAddress => format!("{tag}-nat-address"),
            NetworkPart::S3Endpoint => format!("{tag}-s3"),
            NetworkPart::SecurityGroup => format!("{tag}-nodes"),
            NetworkPart::PublicSubnet(zone) => format!("{tag}-public-{zone}"),
            NetworkPart::PrivateSubnet(zone) => format!("{tag}-private-{zone}"),
            NetworkPart::ComputeSubnet(zone) => format!("{tag}-compute-{zone}"),
            NetworkPart::PublicRoutes => format!("{tag}-public"),
            NetworkPart::PrivateRoutes => format!("{tag}-private"),
            NetworkPart::ComputeRoutes(zone) => format!("{tag}-compute-{zone}-routes"),
        }
    }

    /// The log group to which EKS writes control-plane logs.
    pub fn eks_log_group(&self) -> String {
        format!("/aws/eks/{}/cluster", self.tag)
    }

    /// The value of a Kubernetes label that names the cluster (63 characters, alphanumeric at both ends).
    pub fn label(&self) -> String {
        fitted(self.tag.as_str(), |c| c.is_ascii_alphanumeric() || c == '_', limits::KUBERNETES_LABEL)
    }

    /// The handle of the storage volume: one in a Kubernetes cluster's life, whatever its name.
    pub fn volume_handle(&self) -> String {
        format!("hyperpod-instantstart-{}", self.id.to_string().to_ascii_lowercase())
    }

    /// The client token of a change. `incarnation` counts how often the thing was made: the token of one that failed and
    /// was removed must not return it. 40 hexadecimal digits: within EC2's 64 and FSx's 63 characters.
    pub fn client_token(&self, incarnation: u32, change: &str) -> String {
        digest(&[&self.id.to_string(), &incarnation.to_string(), change]).chars().take(40).collect()
    }
}

/// What the names of all that the deployment itself consists of begin with: functions, roles, state machines, rules.
pub const DEPLOYED_PREFIX: &str = "hyperpod-instantstart-";

/// The role of one of the deployment's functions (and the function itself, and likewise a state machine or a rule):
/// `hyperpod-instantstart-dependencies`.
pub fn function_role(function: &str) -> String {
    format!("{DEPLOYED_PREFIX}{function}")
}

/// The log group of a HyperPod cluster; `cluster_id` is the 12 characters at the end of its ARN.
pub fn hyperpod_log_group(name: &HyperPodClusterName, cluster_id: &str) -> String {
    format!("/aws/sagemaker/Clusters/{name}/{cluster_id}")
}

/// The execution of one attempt of an operation; also the STS session name of what it does.
pub fn execution(operation: OperationId, attempt: u32) -> String {
    format!("{operation}-{attempt}")
}

/// A Kubernetes object of one attempt of an operation, such as a probe pod: a DNS label. `purpose` is one of ours: short,
/// lower case.
pub fn probe(purpose: &str, operation: OperationId, attempt: u32) -> String {
    fitted(
        &format!("{purpose}-{operation}-{attempt}").to_ascii_lowercase(),
        |c| c.is_ascii_lowercase() || c.is_ascii_digit(),
        limits::KUBERNETES_LABEL,
    )
}

/// The key prefix of lifecycle scripts, by their content: a replaced node reads again what its group was made with.
/// `files` are name and content; their order does not matter.
pub fn script_prefix(files: &[(&str, &[u8])]) -> String {
    let mut sorted = files.to_vec();
    sorted.sort_unstable();
    let mut hasher = Sha256::new();
    for (name, content) in sorted {
        for part in [name.as_bytes(), content] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
    }
    let hash = hex::encode(hasher.finalize());
    format!("lifecycle/{}", hash.get(..32).unwrap_or(&hash))
}

/// Why a string cannot begin the project buckets' names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} cannot begin a bucket name: expected `sagemaker-` (which HyperPod's managed policy reads) and up to 14 lower-case letters, digits or hyphens, not ending with a hyphen"
)]
pub struct InvalidBucketPrefix(String);

/// The project bucket of an account and Region: `{prefix}-{region}-{account}`.
///
/// # Errors
/// If the prefix does not begin with `sagemaker-`, is longer than 24 characters, or has characters that S3 refuses in
/// bucket names (dots are legal there and break TLS host names, so they are refused too).
pub fn project_bucket(prefix: &str, account: &AccountId, region: &Region) -> Result<String, InvalidBucketPrefix> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fits =
        prefix.len() <= 24 && prefix.starts_with("sagemaker-") && !prefix.ends_with('-') && prefix.chars().all(legal);
    if fits {
        Ok(format!("{prefix}-{region}-{account}"))
    } else {
        Err(InvalidBucketPrefix(prefix.chars().take(80).collect()))
    }
}

/// The text within a limit and a character rule. Hyphens are always legal, and a name begins and ends with a legal other
/// character. A text that fits stays as it is; any other is changed and carries the hash of what it was.
fn fitted(text: &str, legal: fn(char) -> bool, limit: usize) -> String {
    let clean: String = text.chars().map(|c| if legal(c) { c } else { '-' }).collect();
    let trimmed = clean.trim_matches('-');
    if trimmed == text && text.len() <= limit && ends_alphanumeric(text) {
        return text.to_owned();
    }
    let hash = short_hash(&[text]);
    let room = limit.saturating_sub(hash.len() + 1);
    format!("{}-{hash}", cut(trimmed, room))
}

fn ends_alphanumeric(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// At most so many characters of an ASCII text, without separators at the end.
fn cut(text: &str, room: usize) -> &str {
    text.get(..room.min(text.len())).unwrap_or(text).trim_end_matches(['-', '_'])
}

/// Ten hexadecimal digits (40 bits).
fn short_hash(parts: &[&str]) -> String {
    digest(parts).chars().take(10).collect()
}

/// SHA-256 over length-prefixed parts, so that `["ab", "c"]` and `["a", "bc"]` differ.
fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hex::encode(hasher.finalize())
}

#[cfg(test)]
#[path = "naming_tests.rs"]
mod tests;
