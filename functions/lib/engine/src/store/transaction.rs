//! Conditional writes of several items at once.

use super::{
    Item,
    keys::{IndexKey, Key},
    trouble,
};
use aws_sdk_dynamodb::{
    Client,
    error::SdkError,
    operation::transact_write_items::TransactWriteItemsError,
    types::{AttributeValue, Delete, Put, TransactWriteItem},
};
use domain::failure::Trouble;
use serde::Serialize;

/// What must be so for an item to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Nothing: another item of the same transaction guards this one.
    Any,
    /// The item must not exist.
    Absent,
    /// The stored version must be this one; 0 means that the item must not exist.
    Version(u64),
    /// The text attribute must have this value.
    Holds(&'static str, String),
    /// As for `Holds`, but an item that is gone is fine too.
    HoldsOrAbsent(&'static str, String),
}

impl Condition {
    fn expression(&self) -> (Option<&'static str>, Option<(&'static str, AttributeValue)>) {
        let text = |value: &String| AttributeValue::S(value.clone());
        match self {
            Self::Any => (None, None),
            Self::Absent | Self::Version(0) => (Some("attribute_not_exists(pk)"), None),
            Self::Version(version) => (Some("#a = :v"), Some(("version", AttributeValue::N(version.to_string())))),
            Self::Holds(name, value) => (Some("#a = :v"), Some((name, text(value)))),
            Self::HoldsOrAbsent(name, value) => {
                (Some("attribute_not_exists(pk) OR #a = :v"), Some((name, text(value))))
            }
        }
    }
}

/// Whether a transaction was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// All of it.
    Done,
    /// Nothing of it: the conditions at these places (in the order of adding) did not hold.
    Refused(Vec<usize>),
}

/// Writes to be carried out together; at most a handful, far below DynamoDB's hundred.
#[derive(Debug, Default)]
pub struct Transaction {
    writes: Vec<TransactWriteItem>,
    broken: Option<Trouble>,
}

impl Transaction {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `record` whole at `key` under `condition`.
    #[must_use]
    pub fn put(self, key: &Key, record: &impl Serialize, condition: &Condition) -> Self {
        self.put_indexed(key, None, record, condition)
    }

    /// Puts `record` whole at `key`, listed in the index.
    #[must_use]
    pub fn put_indexed(
        self,
        key: &Key,
        index: Option<IndexKey>,
        record: &impl Serialize,
        condition: &Condition,
    ) -> Self {
        match item(key, index, record) {
            Ok(item) => self.put_item(item, condition),
            Err(error) => self.broken_by(trouble::unreadable(&error)),
        }
    }

    /// Puts an item that has its key.
    pub(super) fn put_item(mut self, item: Item, condition: &Condition) -> Self {
        self.writes.push(put(item, condition));
        self
    }

    /// A record that cannot be written: nothing is.
    pub(super) fn broken_by(mut self, trouble: Trouble) -> Self {
        self.broken = Some(trouble);
        self
    }

    /// Deletes the item at `key` under `condition`.
    #[must_use]
    pub fn delete(mut self, key: &Key, condition: &Condition) -> Self {
        let (expression, value) = condition.expression();
        let mut delete = Delete::builder()
            .key("pk", AttributeValue::S(key.pk.clone()))
            .key("sk", AttributeValue::S(key.sk.clone()))
            .set_condition_expression(expression.map(str::to_owned));
        if let Some((name, value)) = value {
            delete = delete.expression_attribute_names("#a", name).expression_attribute_values(":v", value);
        }
        self.writes.push(TransactWriteItem::builder().delete(with_table(delete)).build());
        self
    }

    pub(super) async fn send(self, client: &Client, table: &str) -> Result<Written, Trouble> {
        if let Some(broken) = self.broken {
            return Err(broken);
        }
        let writes = self.writes.into_iter().map(|write| in_table(write, table)).collect();
        match client.transact_write_items().set_transact_items(Some(writes)).send().await {
            Ok(_) => Ok(Written::Done),
            Err(error) => match refused_places(&error) {
                Some(places) => Ok(Written::Refused(places)),
                None => Err(trouble::of_write("TransactWriteItems", error)),
            },
        }
    }
}

/// The table's name is known only when a transaction is sent; the builders insist on one earlier.
const LATER: &str = "set-when-sent";

fn with_table(delete: aws_sdk_dynamodb::types::builders::DeleteBuilder) -> Delete {
    #[expect(clippy::expect_used, reason = "key and table name, all that the builder requires, are set by us")]
    delete.table_name(LATER).build().expect("a complete delete")
}

fn put(item: Item, condition: &Condition) -> TransactWriteItem {
    let (expression, value) = condition.expression();
    let mut put =
        Put::builder().table_name(LATER).set_item(Some(item)).set_condition_expression(expression.map(str::to_owned));
    if let Some((name, value)) = value {
        put = put.expression_attribute_names("#a", name).expression_attribute_values(":v", value);
    }
    #[expect(clippy::expect_used, reason = "item and table name, all that the builder requires, are set by us")]
    TransactWriteItem::builder().put(put.build().expect("a complete put")).build()
}

fn in_table(mut write: TransactWriteItem, table: &str) -> TransactWriteItem {
    if let Some(put) = write.put.as_mut() {
        table.clone_into(&mut put.table_name);
    }
    if let Some(delete) = write.delete.as_mut() {
        table.clone_into(&mut delete.table_name);
    }
    write
}

fn item(key: &Key, index: Option<IndexKey>, record: &impl Serialize) -> Result<Item, serde_dynamo::Error> {
    let mut item: Item = serde_dynamo::to_item(record)?;
    item.extend(key.attributes());
    if let Some(index) = index {
        item.insert("gsi1pk".to_owned(), AttributeValue::S(index.pk.to_owned()));
        item.insert("gsi1sk".to_owned(), AttributeValue::S(index.sk));
    }
    Ok(item)
}

/// The places whose conditions failed; none if the transaction failed for another reason, such as a conflict with
/// another transaction in flight.
fn refused_places<R>(error: &SdkError<TransactWriteItemsError, R>) -> Option<Vec<usize>> {
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error.as_service_error()? else {
        return None;
    };
    let places: Vec<usize> = cancelled
        .cancellation_reasons()
        .iter()
        .enumerate()
        .filter(|(_, reason)| reason.code() == Some("ConditionalCheckFailed"))
        .map(|(place, _)| place)
        .collect();
    (!places.is_empty()).then_some(places)
}
