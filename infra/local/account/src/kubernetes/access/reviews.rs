//! Access reviews: the API answers whether someone may do something, and what someone may do.

use super::{Attributes, all_groups};
use crate::kubernetes::{Cluster, User, object, refusal::Refusal};
use serde_json::{Value, json};

impl Cluster {
    /// Answers a review of the `authorization.k8s.io` or `authentication.k8s.io` group.
    pub(in crate::kubernetes) fn review(&self, plural: &str, asker: &User, mut body: Value) -> Result<Value, Refusal> {
        body["metadata"] = json!({"creationTimestamp": null});
        body["status"] = match plural {
            "selfsubjectaccessreviews" => self.access(asker, &body["spec"]),
            "subjectaccessreviews" | "localsubjectaccessreviews" => {
                let name = object::text(&body, "/spec/user").to_owned();
                let groups: Vec<String> = words(&body["spec"]["groups"]);
                if name.is_empty() && groups.is_empty() {
                    return Err(Refusal::bad_request("at least one of user or group must be specified"));
                }
                self.access(&User { name, groups }, &body["spec"])
            }
            "selfsubjectrulesreviews" => self.rules_review(asker, object::text(&body, "/spec/namespace")),
            "selfsubjectreviews" => {
                let groups: Vec<&str> = all_groups(asker).collect();
                json!({"userInfo": {"username": asker.name, "groups": groups}})
            }
            _ => return Err(Refusal::no_such_path()),
        };
        Ok(body)
    }

    fn access(&self, user: &User, spec: &Value) -> Value {
        let text = |pointer: &str| object::text(spec, pointer).to_owned();
        let wanted = if spec["nonResourceAttributes"].is_object() {
            Attributes::of_path(&text("/nonResourceAttributes/verb"), &text("/nonResourceAttributes/path"))
        } else {
            let subresource = text("/resourceAttributes/subresource");
            let resource = text("/resourceAttributes/resource");
            Attributes {
                verb: text("/resourceAttributes/verb"),
                group: text("/resourceAttributes/group"),
                resource: if subresource.is_empty() { resource } else { format!("{resource}/{subresource}") },
                namespace: text("/resourceAttributes/namespace"),
                name: text("/resourceAttributes/name"),
                path: String::new(),
            }
        };
        match self.allows(user, &wanted) {
            Some(why) if why.is_empty() => json!({"allowed": true}),
            Some(why) => json!({"allowed": true, "reason": why}),
            None => json!({"allowed": false}),
        }
    }

    fn rules_review(&self, user: &User, namespace: &str) -> Value {
        let (mut resources, mut paths) = (Vec::new(), Vec::new());
        let mut note = |rule: &Value| {
            if object::list(rule, "/nonResourceURLs").is_empty() {
                resources.push(rule.clone());
            } else {
                paths.push(rule.clone());
            }
        };
        if user.groups.iter().any(|group| group == "system:masters") {
            note(&json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}));
            note(&json!({"verbs": ["*"], "nonResourceURLs": ["*"]}));
        }
        self.visit_rules(user, namespace, &mut |rule, _| note(rule));
        json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
    }
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
