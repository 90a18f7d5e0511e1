//! The statuses of AWS resources, read tolerantly: any letter case, and new words are kept as they came.
//!
//! A word that we do not know means: keep waiting until the deadline, and show it. Our own states are in `states`.

use crate::codes::worded_enum;

worded_enum! {
    /// What a status means for somebody who waits for the resource.
    pub enum StatusClass {
        /// Usable.
        Ready = "Ready",
        /// AWS is changing it.
        Busy = "Busy",
        /// Exists and does not do all that it should; may heal by itself.
        Degraded = "Degraded",
        /// Broken; stays so until something is done.
        Failed = "Failed",
        /// On its way out, or not there any more.
        Gone = "Gone",
        /// A word that we do not know: neither good nor bad.
        Unknown = "Unknown",
    }
}

/// A status as a typed word that never fails to parse.
macro_rules! aws_status {
    (
        $(#[$doc:meta])*
        pub enum $name:ident { $( $member:ident = $word:literal => $class:ident ),+ $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $(
                #[doc = concat!("`", $word, "` in AWS's spelling.")]
                $member,
            )+
            /// A word that is not in our list, as it came.
            Unknown(String),
        }

        impl $name {
            /// Reads AWS's word in any letter case.
            pub fn read(raw: &str) -> Self {
                match raw {
                    $( word if word.eq_ignore_ascii_case($word) => Self::$member, )+
                    other => Self::Unknown(other.to_owned()),
                }
            }

            /// AWS's spelling, or the word as it came.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$member => $word, )+
                    Self::Unknown(raw) => raw,
                }
            }

            /// What it means for somebody who waits.
            pub fn class(&self) -> StatusClass {
                match self {
                    $( Self::$member => StatusClass::$class, )+
                    Self::Unknown(_) => StatusClass::Unknown,
                }
            }

            #[cfg(test)]
            const WORDS: &'static [&'static str] = &[$( $word ),+];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self::read(&String::deserialize(deserializer)?))
            }
        }
    };
}

aws_status! {
    /// EKS `ClusterStatus`.
    pub enum EksClusterStatus {
        Creating = "CREATING" => Busy,
        Active = "ACTIVE" => Ready,
        Updating = "UPDATING" => Busy,
        Pending = "PENDING" => Busy,
        Deleting = "DELETING" => Gone,
        Failed = "FAILED" => Failed,
    }
}

aws_status! {
    /// EKS `AddonStatus`. An add-on without a node to run on is DEGRADED or CREATE_FAILED and heals when one comes:
    /// whether that is so is decided by who knows of nodes.
    pub enum AddonStatus {
        Creating = "CREATING" => Busy,
        Active = "ACTIVE" => Ready,
        CreateFailed = "CREATE_FAILED" => Failed,
        Updating = "UPDATING" => Busy,
        Deleting = "DELETING" => Gone,
        DeleteFailed = "DELETE_FAILED" => Failed,
        Degraded = "DEGRADED" => Degraded,
        UpdateFailed = "UPDATE_FAILED" => Failed,
    }
}

aws_status! {
    /// EKS `UpdateStatus`, of an update and not of a cluster.
    pub enum EksUpdateStatus {
        InProgress = "InProgress" => Busy,
        Successful = "Successful" => Ready,
        Failed = "Failed" => Failed,
        Cancelled = "Cancelled" => Gone,
    }
}

aws_status! {
    /// SageMaker `ClusterStatus`. `InService` comes before any node exists.
    pub enum HyperPodClusterStatus {
        Creating = "Creating" => Busy,
        InService = "InService" => Ready,
        Updating = "Updating" => Busy,
        SystemUpdating = "SystemUpdating" => Busy,
        RollingBack = "RollingBack" => Busy,
        Deleting = "Deleting" => Gone,
        Failed = "Failed" => Failed,
    }
}

aws_status! {
    /// SageMaker `InstanceGroupStatus`.
    pub enum InstanceGroupStatus {
        Creating = "Creating" => Busy,
        InService = "InService" => Ready,
        Updating = "Updating" => Busy,
        SystemUpdating = "SystemUpdating" => Busy,
        Degraded = "Degraded" => Degraded,
        Deleting = "Deleting" => Gone,
        Failed = "Failed" => Failed,
    }
}

aws_status! {
    /// SageMaker `ClusterInstanceStatus`. A `Failure` is not final: a Continuous cluster launches another node.
    pub enum NodeStatus {
        Pending = "Pending" => Busy,
        Running = "Running" => Ready,
        DeepHealthCheckInProgress = "DeepHealthCheckInProgress" => Busy,
        SystemUpdating = "SystemUpdating" => Busy,
        AttachInProgress = "AttachInProgress" => Busy,
        DetachInProgress = "DetachInProgress" => Gone,
        ShuttingDown = "ShuttingDown" => Gone,
        NotFound = "NotFound" => Gone,
        Failure = "Failure" => Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_word_is_read_in_any_case_and_written_as_aws_does() {
        macro_rules! check {
            ($($name:ident),+) => { $(
                for word in $name::WORDS {
                    for spelling in [word.to_lowercase(), word.to_uppercase(), (*word).to_owned()] {
                        let status = $name::read(&spelling);
                        assert_eq!(status.as_str(), *word);
                        assert_ne!(status.class(), StatusClass::Unknown);
                    }
                }
            )+ };
        }
        check!(EksClusterStatus, AddonStatus, EksUpdateStatus, HyperPodClusterStatus, InstanceGroupStatus, NodeStatus);
    }

    #[test]
    fn br_152_a_new_word_is_kept_as_it_came_and_is_neither_good_nor_bad() {
        assert_eq!(HyperPodClusterStatus::read("inservice").class(), StatusClass::Ready);
        assert_eq!(HyperPodClusterStatus::read("SystemUpdating").class(), StatusClass::Busy);
        let new = HyperPodClusterStatus::read("SomethingNew");
        assert_eq!((new.to_string().as_str(), new.class()), ("SomethingNew", StatusClass::Unknown));
        let json = serde_json::to_string(&new).unwrap();
        assert_eq!(serde_json::from_str::<HyperPodClusterStatus>(&json).unwrap(), new);
    }

    #[test]
    fn an_empty_status_is_unknown() {
        assert_eq!(NodeStatus::read("").class(), StatusClass::Unknown);
    }
}
