//! What HyperPod's service may not do in a cluster where somebody else's roles stand for ours: the cluster itself is asked,
//! since any binding may grant it (field report BR-038).

use crate::observe::ObjectSeen;
use domain::failure::Trouble;
use futures::future::try_join_all;
use kubernetes::{Kubernetes, Object, Ownership, Question};
use manifests::Component;
use serde_json::Value;

/// What our roles would grant to the service's user and it does not have, `patch nodes`. Asked only where an object of
/// the part is not ours: what we write grants it.
pub(crate) async fn lacking(
    kubernetes: &Kubernetes,
    component: &Component,
    seen: &[ObjectSeen],
) -> Result<Vec<String>, Trouble> {
    if !seen.iter().any(|object| object.owner == Ownership::Foreign) {
        return Ok(Vec::new());
    }
    let Some(user) = component.objects.iter().find_map(user) else { return Ok(Vec::new()) };
    let questions: Vec<Question> = component.objects.iter().flat_map(questions).collect();
    let verdicts = try_join_all(questions.iter().map(|question| kubernetes.may(&user, &[], question))).await?;
    let refused = questions.iter().zip(verdicts).filter(|(_, verdict)| !verdict.allowed);
    Ok(refused.map(|(question, _)| format!("{} {}", question.verb, question.resource)).collect())
}

/// The user to whom a binding gives its role.
fn user(object: &Object) -> Option<String> {
    let subject = &object.value()["subjects"][0];
    (subject["kind"] == "User").then(|| subject["name"].as_str().map(str::to_owned)).flatten()
}

/// All that a role grants, verb by verb.
fn questions(object: &Object) -> Vec<Question> {
    let mut asked = Vec::new();
    for rule in object.value()["rules"].as_array().into_iter().flatten() {
        for (group, resource) in
            words(&rule["apiGroups"]).flat_map(|group| words(&rule["resources"]).map(move |one| (group, one)))
        {
            asked.extend(words(&rule["verbs"]).map(|verb| Question {
                verb: verb.to_owned(),
                group: group.to_owned(),
                resource: resource.to_owned(),
                namespace: None,
            }));
        }
    }
    asked
}

fn words(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}
