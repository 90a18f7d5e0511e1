//! Records that this code cannot read: written by a newer release, or damaged. Named as far as every release writes
//! them, so that a list can tell of them and go on.

use super::{Item, from_item};
use crate::record::SCHEMA;
use serde::de::DeserializeOwned;

/// The record of `item`; or, if it cannot be read, a line that names it and says why.
pub(super) fn readable<T: DeserializeOwned>(item: Item) -> Result<T, String> {
    let name = name(&item);
    let schema = item.get("schema").and_then(|value| value.as_n().ok()).and_then(|number| number.parse::<u32>().ok());
    if schema.is_some_and(|schema| schema > SCHEMA) {
        return Err(format!("{name}: written by a newer release"));
    }
    from_item(item).map_err(|trouble| {
        tracing::error!(record = name, error = %trouble, "a record cannot be read");
        format!("{name}: cannot be read, it is damaged")
    })
}

/// What an item is called: id and tag where it has them, else its key.
fn name(item: &Item) -> String {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map(String::as_str);
    let tag = text("clusterTag").or_else(|| text("tag"));
    match (text("id"), tag) {
        (Some(id), Some(tag)) => format!("{id} ({tag})"),
        (Some(id), None) => id.to_owned(),
        _ => format!("{} {}", text("pk").unwrap_or_default(), text("sk").unwrap_or_default()),
    }
}
