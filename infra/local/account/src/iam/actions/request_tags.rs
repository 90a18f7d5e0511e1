//! The tags in a request, in each of the forms that services have for them.

use crate::{call::Call, iam::policy::Context};
use serde_json::Value;

/// `aws:RequestTag/KEY` for each tag that is being set, and `aws:TagKeys` for all keys that are named.
pub(super) fn context(call: &Call) -> Context {
    let mut context = Context::default();
    let mut keys = Vec::new();
    for name in ["Tags", "tags"] {
        if let Some(value) = call.input.get(name) {
            // EC2's and IAM's own tag lists, and the maps of EKS and Lambda.
            let deletes = call.action.starts_with("Delete") || call.action.starts_with("Untag");
            collect(value, deletes, &mut context, &mut keys);
        }
    }
    for specification in call.list("TagSpecifications") {
        collect(&specification["Tags"], false, &mut context, &mut keys);
    }
    keys.extend(call.texts("TagKeys").into_iter().chain(call.texts("tagKeys")).map(str::to_owned));
    keys.sort();
    keys.dedup();
    for key in keys {
        context.add("aws:TagKeys", key);
    }
    context
}

fn collect(value: &Value, deletes: bool, context: &mut Context, keys: &mut Vec<String>) {
    let text = |tag: &Value, names: [&str; 2]| {
        names.iter().find_map(|name| tag.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let pairs: Vec<(String, String)> = match value {
        Value::Array(tags) => {
            tags.iter().map(|tag| (text(tag, ["Key", "key"]), text(tag, ["Value", "value"]))).collect()
        }
        Value::Object(tags) => {
            tags.iter().map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
        }
        _ => Vec::new(),
    };
    for (key, value) in pairs {
        if !deletes {
            context.set(&format!("aws:RequestTag/{key}"), value);
        }
        keys.push(key);
    }
}
