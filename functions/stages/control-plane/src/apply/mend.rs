//! Changes to what an import borrows.

use super::{known, made};
use crate::{Clients, change::Mend};
use domain::failure::Trouble;
use engine::reconciler::{Made, Mark};

/// Makes one change that a fix asks for.
pub(crate) async fn apply(clients: &Clients, mend: &Mend, mark: &Mark) -> Result<Made, Trouble> {
    match mend {
        Mend::SelfIngress { group } => clients.ec2.allow_self_ingress(group).await.map(|()| Made::new()),
        Mend::SelfEgress { group } => clients.ec2.allow_self_egress(group).await.map(|()| Made::new()),
        Mend::RouteToNat { table, nat, replace: false } => {
            clients.ec2.route_to_nat(table, known(nat)?).await.map(|()| Made::new())
        }
        Mend::RouteToNat { table, nat, replace: true } => {
            clients.ec2.replace_route_to_nat(table, known(nat)?).await.map(|()| Made::new())
        }
        Mend::UseAccessEntries { cluster } => {
            clients.eks.use_access_entries(cluster, &mark.token).await.map(|id| made("updateId", id))
        }
    }
}
