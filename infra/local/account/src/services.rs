//! The list of services: who answers a call.

use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};

/// Lets the service that `call` names change the world and answer.
///
/// # Errors
/// The service's refusals; `UnknownOperationException` for a service that is not here.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.service {
        "ec2" => crate::ec2::handle(world, call),
        "eks" => crate::eks::handle(world, call),
        "events" => crate::events::handle(world, call),
        "logs" => crate::logs::handle(world, call),
        "iam" => crate::iam::handle(world, call),
        "pricing" => crate::pricing::handle(call),
        "sagemaker" => crate::sagemaker::handle(world, call),
        "servicequotas" => crate::quotas::handle(world, call),
        "states" => crate::states::handle(world, call),
        "sts" => crate::sts::handle(world, call),
        _ => {
            let message = format!("{} is not simulated: {}", call.service, call.action);
            Err(AwsError::new("UnknownOperationException", message).with_status(501))
        }
    }
}
