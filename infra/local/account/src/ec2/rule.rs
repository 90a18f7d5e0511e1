//! A security group rule: how requests say it, how EC2 lists it, and when two are the same.

use super::{Network, group::Group, ids::GROUP, missing};
use crate::call::{ACCOUNT_ID, AwsError, Call};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The other side of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Peer {
    /// IPv4 block.
    Cidr4(String),
    /// IPv6 block.
    Cidr6(String),
    /// `pl-…`.
    PrefixList(String),
    /// `sg-…`.
    Group(String),
}

/// What a rule allows; rules that are equal in this are the same rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission {
    /// `-1` (all), `tcp`, `udp`, `icmp`, `icmpv6` or a protocol number.
    pub protocol: String,
    /// First port or ICMP type; none for all protocols.
    pub from: Option<i64>,
    /// Last port or ICMP code.
    pub to: Option<i64>,
    /// From or to whom.
    pub peer: Peer,
}

/// A rule of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// `sgr-…`.
    pub id: String,
    /// Whether it is for outgoing traffic.
    pub egress: bool,
    /// What it allows.
    pub permission: Permission,
    /// Text for people.
    pub description: Option<String>,
}

impl Permission {
    /// All traffic with `peer`.
    pub fn all(peer: Peer) -> Self {
        Self { protocol: "-1".to_owned(), from: None, to: None, peer }
    }

    /// The rule in the words of EC2's duplicate error: `peer: sg-…, ALL, ALLOW`.
    pub fn spoken(&self) -> String {
        let peer = match &self.peer {
            Peer::Cidr4(text) | Peer::Cidr6(text) | Peer::PrefixList(text) | Peer::Group(text) => text,
        };
        let ports = match (self.from, self.to) {
            (Some(from), Some(to)) => format!(", from port: {from}, to port: {to}"),
            _ => String::new(),
        };
        let protocol = if self.protocol == "-1" { "ALL".to_owned() } else { self.protocol.to_uppercase() };
        format!("peer: {peer}, {protocol}{ports}, ALLOW")
    }

    /// Whether it allows everything between `group` and itself.
    pub fn is_all_from(&self, group: &str) -> bool {
        self.protocol == "-1" && self.peer == Peer::Group(group.to_owned())
    }
}

impl Rule {
    /// The rule as `DescribeSecurityGroupRules` lists it, without tags.
    pub(super) fn row(&self, group: &str, region: &str) -> Value {
        let mut row = json!({
            "SecurityGroupRuleId": self.id,
            "SecurityGroupRuleArn": format!("arn:aws:ec2:{region}:{ACCOUNT_ID}:security-group-rule/{}", self.id),
            "GroupId": group,
            "GroupOwnerId": ACCOUNT_ID,
            "IsEgress": self.egress,
            "IpProtocol": self.permission.protocol,
            "FromPort": self.permission.from.unwrap_or(-1),
            "ToPort": self.permission.to.unwrap_or(-1),
        });
        if let Some(description) = &self.description {
            row["Description"] = description.as_str().into();
        }
        match &self.permission.peer {
            Peer::Cidr4(text) => row["CidrIpv4"] = text.as_str().into(),
            Peer::Cidr6(text) => row["CidrIpv6"] = text.as_str().into(),
            Peer::PrefixList(text) => row["PrefixListId"] = text.as_str().into(),
            Peer::Group(text) => row["ReferencedGroupInfo"] = json!({ "GroupId": text, "UserId": ACCOUNT_ID }),
        }
        row
    }
}

/// Rules of one direction as `DescribeSecurityGroups` lists them: one entry for each protocol and port range.
pub(super) fn permissions(group: &Group, egress: bool) -> Value {
    let mut entries: Vec<Value> = Vec::new();
    for rule in group.rules.values().filter(|rule| rule.egress == egress) {
        let one = &rule.permission;
        let mut entry = json!({
            "IpProtocol": one.protocol, "IpRanges": [], "Ipv6Ranges": [], "PrefixListIds": [], "UserIdGroupPairs": [],
        });
        if let (Some(from), Some(to)) = (one.from, one.to) {
            entry["FromPort"] = from.into();
            entry["ToPort"] = to.into();
        }
        let (list, mut item) = match &one.peer {
            Peer::Cidr4(text) => ("IpRanges", json!({ "CidrIp": text })),
            Peer::Cidr6(text) => ("Ipv6Ranges", json!({ "CidrIpv6": text })),
            Peer::PrefixList(text) => ("PrefixListIds", json!({ "PrefixListId": text })),
            Peer::Group(text) => ("UserIdGroupPairs", json!({ "GroupId": text, "UserId": ACCOUNT_ID })),
        };
        if let Some(description) = &rule.description {
            item["Description"] = description.as_str().into();
        }
        let same = |other: &Value| {
            ["IpProtocol", "FromPort", "ToPort"].iter().all(|member| other.get(member) == entry.get(member))
        };
        let at = entries.iter().position(same).unwrap_or_else(|| {
            entries.push(entry);
            entries.len() - 1
        });
        if let Some(list) = entries.get_mut(at).and_then(|entry| entry[list].as_array_mut()) {
            list.push(item);
        }
    }
    entries.into()
}

/// The permissions that a request names, with their descriptions, checked against the group's network.
///
/// # Errors
/// `MissingParameter` without any, `InvalidParameterValue` for ports or blocks that are none, `InvalidGroup.NotFound`.
pub(super) fn read(network: &Network, call: &Call) -> Result<Vec<(Permission, Option<String>)>, AwsError> {
    let mut found = Vec::new();
    let short = call.text("CidrIp").map(|block| {
        json!({
            "IpProtocol": call.text("IpProtocol").unwrap_or("-1"),
            "FromPort": call.number("FromPort"),
            "ToPort": call.number("ToPort"),
            "IpRanges": [{ "CidrIp": block }],
        })
    });
    for entry in call.list("IpPermissions").iter().chain(short.iter()) {
        let (protocol, from, to) = protocol_and_ports(entry)?;
        for (list, member) in [
            ("IpRanges", "CidrIp"),
            ("Ipv6Ranges", "CidrIpv6"),
            ("PrefixListIds", "PrefixListId"),
            ("UserIdGroupPairs", "GroupId"),
        ] {
            for item in entry[list].as_array().into_iter().flatten() {
                let peer = peer(network, member, item[member].as_str().unwrap_or_default())?;
                let permission = Permission { protocol: protocol.clone(), from, to, peer };
                found.push((permission, item["Description"].as_str().map(str::to_owned)));
            }
        }
    }
    if found.is_empty() { Err(missing("ipPermissions")) } else { Ok(found) }
}

type Ports = (String, Option<i64>, Option<i64>);

fn protocol_and_ports(entry: &Value) -> Result<Ports, AwsError> {
    let Some(protocol) = entry["IpProtocol"].as_str() else { return Err(missing("ipProtocol")) };
    let protocol = match protocol.to_lowercase().as_str() {
        "-1" | "all" => return Ok(("-1".to_owned(), None, None)),
        "6" | "tcp" => "tcp".to_owned(),
        "17" | "udp" => "udp".to_owned(),
        "1" | "icmp" => "icmp".to_owned(),
        "58" | "icmpv6" => "icmpv6".to_owned(),
        number if number.parse::<u8>().is_ok() => return Ok((number.to_owned(), None, None)),
        other => {
            let message = format!("Invalid value '{other}' for IP protocol. Unknown protocol.");
            return Err(AwsError::new("InvalidParameterValue", message));
        }
    };
    let (from, to) = (entry["FromPort"].as_i64(), entry["ToPort"].as_i64());
    let fits = |port: i64| (0..=65535).contains(&port);
    let message = match (protocol.as_str(), from, to) {
        ("tcp" | "udp", Some(from), Some(to)) if fits(from) && fits(to) && from <= to => {
            return Ok((protocol, Some(from), Some(to)));
        }
        ("tcp" | "udp", None, _) | ("tcp" | "udp", _, None) => {
            "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.".to_owned()
        }
        ("tcp" | "udp", Some(from), Some(to)) if from > to && fits(from) && fits(to) => {
            format!("Invalid TCP/UDP port range ({from}:{to})")
        }
        ("tcp" | "udp", Some(from), Some(to)) => {
            format!("Invalid value '{}' for portRange. Must be in 0-65535.", if fits(from) { to } else { from })
        }
        _ => return Ok((protocol, Some(from.unwrap_or(-1)), Some(to.unwrap_or(-1)))),
    };
    Err(AwsError::new("InvalidParameterValue", message))
}

fn peer(network: &Network, member: &str, text: &str) -> Result<Peer, AwsError> {
    let malformed = || AwsError::new("InvalidParameterValue", format!("CIDR block {text} is malformed"));
    Ok(match member {
        "CidrIp" => Peer::Cidr4(text.parse::<ipnet::Ipv4Net>().map_err(|_| malformed())?.trunc().to_string()),
        "CidrIpv6" => Peer::Cidr6(text.parse::<ipnet::Ipv6Net>().map_err(|_| malformed())?.trunc().to_string()),
        "PrefixListId" => Peer::PrefixList(text.to_owned()),
        _ => {
            network.groups.get(text).ok_or_else(|| GROUP.missing(text))?;
            Peer::Group(text.to_owned())
        }
    })
}
