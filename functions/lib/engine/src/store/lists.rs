//! Lists: by cluster, by age, by operation. Every list pages.
//!
//! A record that this code cannot read keeps no other from being listed: it is told by name (see [`unreadable`]), and
//! whoever decides from a list instead of showing it asks for the [whole](Page::whole) of it.
//!
//! [`unreadable`]: super::unreadable

use super::{Item, Lane, Store, keys, trouble, unreadable};
use crate::record::{Cluster, Operation};
use aws_sdk_dynamodb::types::AttributeValue;
use contract::journal::JournalEntry;
use domain::{
    failure::Trouble,
    ids::{ClusterId, OperationId},
};
use serde::de::DeserializeOwned;

/// Part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The records.
    pub items: Vec<T>,
    /// Records among them that cannot be read, a line each: which, and why.
    pub unreadable: Vec<String>,
    /// Sort key of the last one if there may be more; what the next page starts after.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// The records, if all of them could be read.
    ///
    /// # Errors
    /// The first that could not.
    pub fn whole(self) -> Result<Vec<T>, Trouble> {
        match self.unreadable.first() {
            Some(line) => Err(trouble::unreadable(line)),
            None => Ok(self.items),
        }
    }
}

struct Range<'a> {
    index: bool,
    pk: String,
    prefix: Option<&'a str>,
    after: Option<&'a str>,
    newest_first: bool,
    limit: usize,
}

impl Store {
    /// Clusters by tag, tombstones included.
    pub async fn clusters(&self, after: Option<&str>, limit: usize) -> Result<Page<Cluster>, Trouble> {
        let range = Range { index: true, pk: "CLUSTERS".into(), prefix: None, after, newest_first: false, limit };
        self.list(range).await
    }

    /// Operations of all clusters, newest first.
    pub async fn operations(&self, after: Option<&str>, limit: usize) -> Result<Page<Operation>, Trouble> {
        let range = Range { index: true, pk: "OPS".into(), prefix: None, after, newest_first: true, limit };
        self.list(range).await
    }

    /// Operations that have not ended, oldest first, by the lanes and places that they hold until they end.
    pub async fn open_operations(&self, after: Option<&str>, limit: usize) -> Result<Page<Lane>, Trouble> {
        let range = Range { index: true, pk: "OPEN".into(), prefix: None, after, newest_first: false, limit };
        self.list(range).await
    }

    /// Operations of one cluster, newest first.
    pub async fn operations_of(
        &self,
        cluster: ClusterId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Operation>, Trouble> {
        let pk = format!("CLUSTER#{cluster}");
        let range = Range { index: false, pk, prefix: Some("OP#"), after, newest_first: true, limit };
        let Page { items: mentions, mut unreadable, next } = self.list::<Mention>(range).await?;
        let mut items = Vec::with_capacity(mentions.len());
        for Mention { operation_id } in mentions {
            let Some(item) = self.item(&keys::Key::operation(operation_id)).await? else { continue };
            match unreadable::readable(item) {
                Ok(operation) => items.push(operation),
                Err(line) => unreadable.push(line),
            }
        }
        Ok(Page { items, unreadable, next })
    }

    /// The journal of an operation from entry `after` + 1 on.
    pub async fn journal(&self, id: OperationId, after: u32, limit: usize) -> Result<Page<JournalEntry>, Trouble> {
        let start = format!("J#{after:06}");
        let pk = format!("OP#{id}");
        let range = Range { index: false, pk, prefix: Some("J#"), after: Some(&start), newest_first: false, limit };
        self.list(range).await
    }

    /// Reads until `limit` records are there or the list ends. DynamoDB answers at most 1 MB at a time, so one read is
    /// not enough whatever the limit (field report BR-143).
    async fn list<T: DeserializeOwned>(&self, range: Range<'_>) -> Result<Page<T>, Trouble> {
        let (pk_name, sk_name) = if range.index { ("gsi1pk", "gsi1sk") } else { ("pk", "sk") };
        let (mut items, mut unreadable) = (Vec::new(), Vec::new());
        let (mut last_sk, mut start) = (None, None);
        loop {
            let left = range.limit - items.len() - unreadable.len();
            let answer = self.query(&range, (pk_name, sk_name), start.take(), left).await?;
            for item in answer.0 {
                last_sk = item.get(sk_name).and_then(|value| value.as_s().ok()).cloned();
                match unreadable::readable(item) {
                    Ok(record) => items.push(record),
                    Err(line) => unreadable.push(line),
                }
            }
            start = answer.1;
            if start.is_none() || items.len() + unreadable.len() >= range.limit {
                let next = start.and(last_sk);
                return Ok(Page { items, unreadable, next });
            }
        }
    }

    async fn query(
        &self,
        range: &Range<'_>,
        (pk_name, sk_name): (&str, &str),
        start: Option<Item>,
        limit: usize,
    ) -> Result<(Vec<Item>, Option<Item>), Trouble> {
        let mut query = self
            .reads
            .query()
            .table_name(&self.table)
            .set_index_name(range.index.then(|| keys::INDEX.to_owned()))
            .consistent_read(!range.index)
            .scan_index_forward(!range.newest_first)
            .set_exclusive_start_key(start)
            .limit(i32::try_from(limit.clamp(1, 1000)).unwrap_or(1000))
            .expression_attribute_names("#pk", pk_name)
            .expression_attribute_values(":pk", AttributeValue::S(range.pk.clone()));
        let (expression, values) = range.expression();
        if !values.is_empty() {
            query = query.expression_attribute_names("#sk", sk_name);
        }
        for (name, value) in values {
            query = query.expression_attribute_values(name, AttributeValue::S(value));
        }
        let answer = query
            .key_condition_expression(expression)
            .send()
            .await
            .map_err(|error| trouble::of_read("Query", error))?;
        let next = answer.last_evaluated_key.filter(|key| !key.is_empty());
        Ok((answer.items.unwrap_or_default(), next))
    }
}

impl Range<'_> {
    /// The key condition and its values. A sort key range both starts after the cursor and ends with the prefix: `~`
    /// sorts after every character of our keys.
    fn expression(&self) -> (&'static str, Vec<(&'static str, String)>) {
        let prefix = self.prefix.unwrap_or_default();
        match (self.after, self.newest_first) {
            (None, _) if prefix.is_empty() => ("#pk = :pk", vec![]),
            (None, _) => ("#pk = :pk AND begins_with(#sk, :prefix)", vec![(":prefix", prefix.to_owned())]),
            (Some(after), true) => (
                "#pk = :pk AND #sk BETWEEN :first AND :last",
                vec![(":first", prefix.to_owned() + " "), (":last", just_before(after))],
            ),
            (Some(after), false) => (
                "#pk = :pk AND #sk BETWEEN :first AND :last",
                vec![(":first", format!("{after} ")), (":last", format!("{prefix}~"))],
            ),
        }
    }
}

/// A text that sorts before `text` and after everything else that sorts before it, for keys of printable ASCII.
fn just_before(text: &str) -> String {
    let mut before = text.to_owned();
    let Some(last) = before.pop() else { return before };
    before.push(char::from_u32(u32::from(last).saturating_sub(1)).unwrap_or(' '));
    before.push('~');
    before
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mention {
    operation_id: OperationId,
}

#[cfg(test)]
mod tests {
    use super::just_before;

    #[test]
    fn the_text_just_before_excludes_the_cursor_and_keeps_all_earlier_keys() {
        assert!(just_before("OP#01J5") < "OP#01J5".to_owned());
        assert!(just_before("OP#01J5") > "OP#01J4ZZZZ".to_owned());
    }
}
