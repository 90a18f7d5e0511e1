//! `generate models`: distils botocore's service models into the account's one committed data file.
//!
//! Kept is what a codec and a checker need (names, types, bounds, locations, errors, pages); prose, endpoints rules and
//! every action that is not listed in `actions` are left out. The output depends on the botocore version alone.

mod actions;
mod distil;
mod source;

use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::{fmt::Write as _, fs, path::Path};

/// Writes `infra/local/account/model.json` anew.
pub(crate) fn generate() -> Result<()> {
    let data = source::botocore_data()?;
    let mut services = Map::new();
    for service in actions::SERVICES {
        let model = source::read(&data, service.folder, "service-2")?;
        let pages = source::read(&data, service.folder, "paginators-1")?;
        let distilled =
            distil::service(service, &model, &pages).with_context(|| format!("service {}", service.scope))?;
        services.insert(service.scope.to_owned(), distilled);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../local/account/model.json");
    let text = written(&services)?;
    fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("model.json: {} services, {} actions, {} kB", services.len(), actions::count(), text.len() / 1000);
    Ok(())
}

/// One action or shape a line, so that a new botocore shows as a readable diff.
fn written(services: &Map<String, Value>) -> Result<String> {
    let mut text = format!("{{\n\"botocore\":{}", Value::from(source::VERSION));
    text.push_str(",\n\"services\":{");
    for (number, (scope, service)) in services.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(text, "{comma}\n{}:{{", Value::from(scope.as_str()))?;
        let parts = service.as_object().context("a service is an object")?;
        for (number, (name, part)) in parts.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            write!(text, "{comma}\n{}:", Value::from(name.as_str()))?;
            match part.as_object() {
                Some(entries) => text.push_str(&lines(entries)?),
                None => write!(text, "{part}")?,
            }
        }
        text.push('}');
    }
    text.push_str("}}\n");
    Ok(text)
}

fn lines(entries: &Map<String, Value>) -> Result<String> {
    let mut text = "{".to_owned();
    for (number, (name, entry)) in entries.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(text, "{comma}\n{}:{entry}", Value::from(name.as_str()))?;
    }
    text.push('}');
    Ok(text)
}
