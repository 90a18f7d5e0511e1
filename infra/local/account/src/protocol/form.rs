//! Form bodies of the query protocols: `Tag.1.Key=Name` as members of a shape.

use super::{
    Operation, Read,
    check::{Rule, Violation},
    rest,
};
use crate::{
    call::AwsError,
    model::{Kind, Member, Protocol, Service, Shape},
};
use bytes::Bytes;
use http::Request;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// The action in the parameter `Action`.
pub(super) fn operation(service: &'static Service, request: &Request<Bytes>) -> Result<Operation, AwsError> {
    let parameters = parameters(request);
    let find =
        |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str());
    let (action, version) = (find("Action"), find("Version"));
    let ec2 = service.protocol == Protocol::Ec2;
    if action.is_empty() {
        return Err(AwsError::new("MissingAction", "Could not find an action in the request"));
    }
    if version != service.api_version {
        return Err(match ec2 {
            true => AwsError::new(
                "NoSuchVersion",
                format!("The requested version ({version}) of service AmazonEC2 does not exist"),
            ),
            false => AwsError::new("InvalidAction", format!("Could not find operation {action} for version {version}")),
        });
    }
    Operation::named(service, action).ok_or_else(|| match ec2 {
        true => AwsError::new("InvalidAction", format!("The action {action} is not valid for this web service.")),
        false => AwsError::new("InvalidAction", format!("Could not find operation {action} for version {version}")),
    })
}

/// All parameters of a request, from its query and its body.
fn parameters(request: &Request<Bytes>) -> Vec<(String, String)> {
    let query: Vec<_> = serde_urlencoded::from_str(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let body: Vec<_> = serde_urlencoded::from_bytes(request.body()).unwrap_or_default();
    query.into_iter().chain(body).collect()
}

/// The input in the parameters.
pub(super) fn input(operation: &Operation, request: &Request<Bytes>) -> Result<Read, AwsError> {
    let mut root = Node::default();
    for (name, value) in parameters(request) {
        if !matches!(name.as_str(), "Action" | "Version" | "AWSAccessKeyId") && !name.starts_with("X-Amz-") {
            root.insert(&name, value)?;
        }
    }
    let mut reader = Reader { service: operation.service, path: Vec::new(), violations: Vec::new() };
    let empty = Shape::default();
    let shape = operation.action.input.as_deref().map_or(&empty, |name| operation.service.shape(name));
    let input = reader.structure(shape, &root);
    Ok(Read { input, violations: reader.violations })
}

/// Parameters by the parts of their dotted names.
#[derive(Debug, Default)]
struct Node {
    value: Option<String>,
    children: IndexMap<String, Node>,
}

/// Deeper than any shape of the query protocols nests; bounds the recursion.
const DEEPEST: usize = 32;

impl Node {
    fn insert(&mut self, name: &str, value: String) -> Result<(), AwsError> {
        if name.split('.').count() > DEEPEST {
            return Err(AwsError::new("MalformedQueryString", format!("The parameter {name} nests too deeply")));
        }
        let node = name.split('.').fold(self, |node, part| node.children.entry(part.to_owned()).or_default());
        node.value = Some(value);
        Ok(())
    }

    /// Children whose names are numbers, in their order, and the names that are none.
    fn numbered(&self) -> (Vec<&Node>, Vec<&str>) {
        let mut elements = Vec::new();
        let mut others = Vec::new();
        for (name, node) in &self.children {
            match name.parse::<u32>() {
                Ok(number) => elements.push((number, node)),
                Err(_) => others.push(name.as_str()),
            }
        }
        elements.sort_by_key(|(number, _)| *number);
        (elements.into_iter().map(|(_, node)| node).collect(), others)
    }
}

struct Reader {
    service: &'static Service,
    path: Vec<String>,
    violations: Vec<Violation>,
}

impl Reader {
    fn is_ec2(&self) -> bool {
        self.service.protocol == Protocol::Ec2
    }

    fn structure(&mut self, shape: &Shape, node: &Node) -> Value {
        let mut members = Map::new();
        for (wire_name, child) in &node.children {
            let known = shape.members.iter().find(|(name, member)| self.name(name, member) == *wire_name);
            match known {
                Some((name, member)) => {
                    let value = self.at(name, |reader| reader.value(member, child));
                    members.insert(name.clone(), value);
                }
                None => self.unknown(wire_name, child),
            }
        }
        Value::Object(members)
    }

    /// What a member is called in a request: EC2 has names of its own, or capitalizes those of its answers.
    fn name(&self, name: &str, member: &Member) -> String {
        if !self.is_ec2() {
            return self.flat_name(name, member).to_owned();
        }
        if let Some(name) = &member.query_name {
            return name.clone();
        }
        let name = member.wire_name(name);
        let mut letters = name.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }

    /// A flattened list goes by its element's name if it has one.
    fn flat_name<'a>(&'a self, name: &'a str, member: &'a Member) -> &'a str {
        let shape = self.service.shape(&member.shape);
        let element = shape.member.as_ref().and_then(|element| element.location_name.as_deref());
        match element.filter(|_| shape.flattened || member.flattened) {
            Some(element) => element,
            None => member.wire_name(name),
        }
    }

    fn value(&mut self, member: &Member, node: &Node) -> Value {
        let shape = self.service.shape(&member.shape);
        match (shape.kind, &shape.member) {
            (Kind::Structure, _) => self.structure(shape, node),
            (Kind::List, Some(element)) => {
                let flat = self.is_ec2() || shape.flattened || member.flattened;
                let inner = element.location_name.as_deref().unwrap_or("member");
                self.list(element, if flat { Some(node) } else { node.children.get(inner) }, node)
            }
            (Kind::Map, _) => self.map(shape, node, shape.flattened || member.flattened),
            (kind, _) => self.scalar(kind, node),
        }
    }

    fn list(&mut self, element: &Member, elements: Option<&Node>, whole: &Node) -> Value {
        let Some(elements) = elements else {
            for (name, child) in &whole.children {
                self.unknown(name, child);
            }
            return json!([]);
        };
        let (numbered, others) = elements.numbered();
        for name in others {
            self.unknown(name, &elements.children[name]);
        }
        let numbered = numbered.into_iter().enumerate();
        numbered.map(|(n, node)| self.at(&(n + 1).to_string(), |reader| reader.value(element, node))).collect()
    }

    fn map(&mut self, shape: &Shape, node: &Node, flat: bool) -> Value {
        let (Some(key), Some(value)) = (&shape.key, &shape.value) else { return json!({}) };
        let entries = if flat { Some(node) } else { node.children.get("entry") };
        let mut map = Map::new();
        for entry in entries.map(|entries| entries.numbered().0).unwrap_or_default() {
            let name = entry.children.get(key.wire_name("key")).and_then(|key| key.value.clone()).unwrap_or_default();
            if let Some(child) = entry.children.get(value.wire_name("value")) {
                let read = self.at(&name, |reader| reader.value(value, child));
                map.insert(name, read);
            }
        }
        Value::Object(map)
    }

    fn scalar(&mut self, kind: Kind, node: &Node) -> Value {
        for (name, child) in &node.children {
            self.unknown(name, child);
        }
        let text = node.value.as_deref().unwrap_or_default();
        rest::scalar(kind, text).unwrap_or_else(|| {
            self.report(text, Rule::Type(kind));
            text.into()
        })
    }

    /// Reports the first parameter of `node` under its whole name.
    fn unknown(&mut self, name: &str, node: &Node) {
        self.at(name, |reader| match node.children.first() {
            Some((name, child)) if node.value.is_none() => reader.unknown(name, child),
            _ => reader.report(node.value.as_deref().unwrap_or_default(), Rule::Unknown),
        });
    }

    fn at<T>(&mut self, name: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(name.to_owned());
        let result = visit(self);
        self.path.pop();
        result
    }

    fn report(&mut self, text: &str, rule: Rule) {
        self.violations.push(Violation { path: self.path.clone(), value: text.into(), rule });
    }
}
