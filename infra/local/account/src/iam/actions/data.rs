//! The services that hold data or run code: DynamoDB, Step Functions, Lambda, CloudWatch, EventBridge, FSx, quotas.

use super::{Asked, Need};
use serde_json::{Map, Value};

/// Permissions for a call of a service that has no file of its own.
pub(super) fn needs(asked: &Asked) -> Vec<Need> {
    let call = asked.call;
    match call.service {
        "dynamodb" => dynamodb(asked),
        "states" => {
            let role = asked.pass_role(call.input.get("roleArn"), "states.amazonaws.com");
            std::iter::once(asked.on(states(asked))).chain(role).collect()
        }
        "lambda" => {
            let Some(name) = call.text("FunctionName") else { return vec![asked.on("*")] };
            let arn = if name.starts_with("arn:") { name.to_owned() } else { asked.arn(&format!("function:{name}")) };
            let role = asked.pass_role(call.input.get("Role"), "lambda.amazonaws.com");
            let mut need = asked.on(arn);
            if call.action == "Invoke" {
                "lambda:InvokeFunction".clone_into(&mut need.action);
            }
            std::iter::once(need).chain(role).collect()
        }
        "logs" => vec![asked.on(logs(asked))],
        "events" => vec![asked.on(events(asked))]
            .into_iter()
            .chain(asked.pass_role(call.input.get("RoleArn"), "events.amazonaws.com"))
            .collect(),
        "servicequotas" | "service-quotas" => vec![asked.on(quota(asked))],
        "monitoring" => {
            let mut need = asked.on("*");
            if let Some(namespace) = call.text("Namespace").or(call.text("namespace")) {
                need.context.set("cloudwatch:namespace", namespace);
            }
            vec![need]
        }
        "eks-auth" => vec![asked.on(format!(
            "arn:aws:eks:{}:{}:cluster/{}",
            call.region,
            crate::call::ACCOUNT_ID,
            call.text("clusterName").unwrap_or("*")
        ))],
        "fsx" => vec![asked.on(match call.text("FileSystemId") {
            Some(id) => asked.arn(&format!("file-system/{id}")),
            None if call.action.starts_with("Create") => asked.arn("file-system/*"),
            None => call.text("ResourceARN").unwrap_or("*").to_owned(),
        })],
        _ => vec![asked.on("*")],
    }
}

fn dynamodb(asked: &Asked) -> Vec<Need> {
    let call = asked.call;
    let table = |name: &str| {
        if name.starts_with("arn:") { name.to_owned() } else { asked.arn(&format!("table/{name}")) }
    };
    match call.action.as_str() {
        "TransactWriteItems" | "TransactGetItems" => {
            let steps = call.list("TransactItems").iter().filter_map(Value::as_object).flat_map(Map::iter);
            steps
                .map(|(step, item)| {
                    let action = match step.as_str() {
                        "Put" => "dynamodb:PutItem",
                        "Update" => "dynamodb:UpdateItem",
                        "Delete" => "dynamodb:DeleteItem",
                        "Get" => "dynamodb:GetItem",
                        _ => "dynamodb:ConditionCheckItem",
                    };
                    asked.other(action, table(item["TableName"].as_str().unwrap_or("*")))
                })
                .collect()
        }
        "BatchGetItem" | "BatchWriteItem" => {
            let tables = call.input.get("RequestItems").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            tables.map(|name| asked.on(table(name))).collect()
        }
        "ListTables" | "DescribeLimits" | "DescribeEndpoints" => vec![asked.on("*")],
        _ => {
            let name = table(call.text("TableName").or(call.text("ResourceArn")).unwrap_or("*"));
            vec![asked.on(match call.text("IndexName") {
                Some(index) => format!("{name}/index/{index}"),
                None => name,
            })]
        }
    }
}

fn states(asked: &Asked) -> String {
    let call = asked.call;
    match (call.text("stateMachineArn"), call.text("executionArn"), call.text("name")) {
        (Some(machine), ..) => machine.to_owned(),
        (None, Some(execution), _) => execution.to_owned(),
        (None, None, Some(name)) if call.action == "CreateStateMachine" => asked.arn(&format!("stateMachine:{name}")),
        _ => "*".to_owned(),
    }
}

fn logs(asked: &Asked) -> String {
    let call = asked.call;
    let Some(group) = call.text("logGroupName").or(call.text("logGroupIdentifier")) else {
        return if call.action == "DescribeLogGroups" { asked.arn("log-group:*") } else { "*".to_owned() };
    };
    let group = if group.starts_with("arn:") { group.to_owned() } else { asked.arn(&format!("log-group:{group}")) };
    match (call.action.as_str(), call.text("logStreamName")) {
        ("PutLogEvents" | "GetLogEvents" | "CreateLogStream" | "DeleteLogStream", Some(stream)) => {
            format!("{group}:log-stream:{stream}")
        }
        _ => format!("{group}:*"),
    }
}

fn events(asked: &Asked) -> String {
    let call = asked.call;
    match call.text("Rule").or(call.text("Name")) {
        Some(_) if call.action == "DescribeEventBus" => asked.arn("event-bus/default"),
        Some(rule) => asked.arn(&format!("rule/{rule}")),
        None if call.action == "PutEvents" => asked.arn("event-bus/default"),
        None => "*".to_owned(),
    }
}

fn quota(asked: &Asked) -> String {
    let call = asked.call;
    match (call.text("ServiceCode"), call.text("QuotaCode")) {
        (Some(service), Some(quota)) if call.action == "RequestServiceQuotaIncrease" => {
            asked.arn(&format!("{service}/{quota}"))
        }
        _ => "*".to_owned(),
    }
}
