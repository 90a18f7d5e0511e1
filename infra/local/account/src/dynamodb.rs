//! DynamoDB: dynoxide's engine behind the account's door. It reads and writes DynamoDB's bodies itself; what it refuses
//! is refused in DynamoDB's words. Unknown members it would pass over: they do not get here.

use crate::clock::Clock;
use bytes::Bytes;
use dynoxide::{Database, DynoxideError, actions};
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use serde::{Serialize, de::DeserializeOwned};
use std::{path::Path, sync::Arc};

/// All tables of an account.
pub(crate) struct Tables {
    engine: Database,
}

impl Tables {
    /// No tables.
    pub(crate) fn new(clock: Clock) -> Result<Self, DynoxideError> {
        Ok(Self { engine: Database::memory_with_clock(Arc::new(clock))? })
    }

    /// The tables that were saved at `path`.
    pub(crate) fn open(path: &Path, clock: Clock) -> Result<Self, DynoxideError> {
        let tables = Self::new(clock)?;
        tables.engine.restore_from(&path.to_string_lossy())?;
        Ok(tables)
    }

    /// Writes all tables into a new file.
    pub(crate) fn save(&self, path: &Path) -> Result<(), DynoxideError> {
        self.engine.vacuum_into(&path.to_string_lossy())
    }

    /// Answers one request; first comes `ok` or the error's code.
    pub(crate) fn answer(&self, action: &str, body: &Bytes, request_id: &str) -> (String, Response<Bytes>) {
        let answered = std::str::from_utf8(body)
            .map_err(|_| DynoxideError::SerializationException("The request body is not UTF-8".into()))
            .and_then(|body| self.dispatch(action, if body.is_empty() { "{}" } else { body }));
        let (outcome, status, body) = match answered {
            Ok(body) => ("ok".to_owned(), 200, body),
            Err(error) => (error.short_error_code().to_owned(), error.status_code(), error.to_json()),
        };
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-amz-json-1.0"));
        if let Ok(id) = HeaderValue::from_str(request_id) {
            headers.insert("x-amzn-requestid", id);
        }
        (outcome, response)
    }

    fn dispatch(&self, action: &str, body: &str) -> Result<String, DynoxideError> {
        macro_rules! dispatch {
            ($($name:literal => $method:ident, $module:ident::$request:ident;)*) => {
                match action {
                    $($name => written(&self.engine.$method(read::<actions::$module::$request>(body)?)?),)*
                    _ => Err(DynoxideError::UnsupportedCapability(action.to_owned())),
                }
            };
        }
        dispatch! {
            "BatchExecuteStatement" => batch_execute_statement, batch_execute_statement::BatchExecuteStatementRequest;
            "BatchGetItem" => batch_get_item, batch_get_item::BatchGetItemRequest;
            "BatchWriteItem" => batch_write_item, batch_write_item::BatchWriteItemRequest;
            "CreateTable" => create_table, create_table::CreateTableRequest;
            "DeleteItem" => delete_item, delete_item::DeleteItemRequest;
            "DeleteTable" => delete_table, delete_table::DeleteTableRequest;
            "DescribeTable" => describe_table, describe_table::DescribeTableRequest;
            "DescribeTimeToLive" => describe_time_to_live, describe_time_to_live::DescribeTimeToLiveRequest;
            "ExecuteStatement" => execute_statement, execute_statement::ExecuteStatementRequest;
            "ExecuteTransaction" => execute_transaction, execute_transaction::ExecuteTransactionRequest;
            "GetItem" => get_item, get_item::GetItemRequest;
            "ListTables" => list_tables, list_tables::ListTablesRequest;
            "ListTagsOfResource" => list_tags_of_resource, list_tags_of_resource::ListTagsOfResourceRequest;
            "PutItem" => put_item, put_item::PutItemRequest;
            "Query" => query, query::QueryRequest;
            "Scan" => scan, scan::ScanRequest;
            "TagResource" => tag_resource, tag_resource::TagResourceRequest;
            "TransactGetItems" => transact_get_items, transact_get_items::TransactGetItemsRequest;
            "TransactWriteItems" => transact_write_items, transact_write_items::TransactWriteItemsRequest;
            "UntagResource" => untag_resource, untag_resource::UntagResourceRequest;
            "UpdateItem" => update_item, update_item::UpdateItemRequest;
            "UpdateTable" => update_table, update_table::UpdateTableRequest;
            "UpdateTimeToLive" => update_time_to_live, update_time_to_live::UpdateTimeToLiveRequest;
        }
    }
}

/// Reads a request. The engine marks in its messages which errors are DynamoDB's validation, and puts serde's position
/// behind them.
fn read<T: DeserializeOwned>(body: &str) -> Result<T, DynoxideError> {
    serde_json::from_str(body).map_err(|error| {
        let message = error.to_string();
        let marked = |mark: &str| message.strip_prefix(mark).map(without_position);
        if let Some(text) = message.strip_prefix("VALIDATION_AS_READ:") {
            return DynoxideError::ValidationException(text.to_owned());
        }
        if let Some(text) = marked("VALIDATION_REQUEST:") {
            return DynoxideError::EnvelopedValidation(text);
        }
        if let Some(text) = marked("VALIDATION:") {
            return DynoxideError::ValidationException(text);
        }
        let text = message.strip_prefix("SERIALIZATION_AS_READ:").map(str::to_owned);
        let text = text.or_else(|| marked("SERIALIZATION:")).unwrap_or_else(|| without_position(&message));
        DynoxideError::SerializationException(text)
    })
}

fn without_position(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text).to_owned()
}

fn written<T: Serialize>(answer: &T) -> Result<String, DynoxideError> {
    serde_json::to_string(answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

impl dynoxide::storage_backend::Clock for Clock {
    fn now_unix_secs(&self) -> u64 {
        u64::try_from(self.now().as_second()).unwrap_or_default()
    }

    fn now_unix_secs_f64(&self) -> f64 {
        self.now().as_duration().as_secs_f64()
    }
}
