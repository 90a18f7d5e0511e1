//! The simulated AWS account: the services that the product calls, over their own wire protocols.
//!
//! One [`World`](world::World) holds everything that the account knows, as a plain value that can be kept, forked and
//! compared; only DynamoDB tables live beside it, in their own database. A request becomes a [`Call`](call::Call) that
//! was checked against the service model, a service changes the world and answers a JSON value, and the protocol layer
//! writes it down as that service would. What happens by itself (a cluster becomes ACTIVE, a node boots) is an
//! [`Event`](life::Event) on the world's agenda.
//!
//! Nothing here knows the product: it would serve any program that speaks AWS and Kubernetes.

pub mod account;
pub mod call;
pub mod calls;
pub mod capacity;
pub mod catalogue;
pub mod clock;
mod dynamodb;
pub mod ec2;
pub mod eks;
pub mod endpoint;
pub mod events;
pub mod faults;
pub mod geography;
pub mod hyperpod_nodes;
pub mod iam;
pub mod in_process;
pub mod invocation;
pub mod kubernetes;
pub mod lambda;
pub mod life;
pub mod logs;
pub mod model;
pub mod pricing;
pub mod protocol;
pub mod quotas;
pub mod s3;
pub mod sagemaker;
pub mod seed;
pub mod server;
pub mod services;
pub mod shared;
pub mod signature;
pub mod states;
pub mod sts;
pub mod world;

pub use account::Account;
