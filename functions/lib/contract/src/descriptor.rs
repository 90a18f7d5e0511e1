//! What a descriptor says of an operation or query.

use domain::ErrorCode;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};

/// HTTP method of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Records an operation.
    Post,
}

/// What kind of thing a descriptor describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads; answers 200 at once.
    Query,
    /// Records an operation and answers 202 with it. Takes an idempotency key, on REST also `validateOnly`, and names
    /// the tool that shows completion.
    Operation,
    /// Acts on an operation that is there (retry, cancel); answers 202 with it.
    Command,
}

/// What a caller must be allowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To read.
    Read,
    /// To read logs.
    Logs,
    /// To change.
    Operate,
    /// To change who may.
    Admin,
    /// To approve what is destructive; agents never hold it.
    Approve,
}

/// MCP's tool hints, all four said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// Changes nothing.
    pub read_only: bool,
    /// May take something away.
    pub destructive: bool,
    /// Asked twice, it changes nothing more.
    pub idempotent: bool,
    /// Reaches AWS or Kubernetes, whose state others change too.
    pub open_world: bool,
}

/// Where REST carries an input field; all others are in the JSON body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query string.
    Query,
}

/// One operation or query.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// Its name on every surface: MCP tool, OpenAPI operationId, console form, metric.
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// What it does and when to use it, for people and models; the first sentence stands alone.
    pub description: &'static str,
    /// Query, operation or command.
    pub kind: Kind,
    /// HTTP method.
    pub method: Method,
    /// Route with `{field}` for path fields.
    pub path: &'static str,
    /// Input fields that are not in the body.
    pub places: &'static [(&'static str, Place)],
    /// What a caller must be allowed to.
    pub scope: Scope,
    /// MCP's hints.
    pub hints: Hints,
    /// The tool that shows completion; for everything that changes something.
    pub completion: Option<&'static str>,
    /// The operation whose `validateOnly=true` this is on REST; such a descriptor has no route of its own.
    pub validates: Option<&'static str>,
    /// Codes that it may answer besides those that every route may.
    pub errors: &'static [ErrorCode],
    /// JSON schema of its input, an object, or a reference into the generator's definitions.
    pub input: fn(&mut SchemaGenerator) -> Schema,
    /// The same of its output.
    pub output: fn(&mut SchemaGenerator) -> Schema,
}

impl Descriptor {
    /// Schema of the input with everything that it refers to inlined, since some clients do not follow references.
    pub fn input_schema(&self) -> Schema {
        (self.input)(&mut inlining())
    }

    /// Schema of the output, inlined likewise.
    pub fn output_schema(&self) -> Schema {
        (self.output)(&mut inlining())
    }
}

fn inlining() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// The hints of a query.
pub const READS: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: true };

/// The hints of an operation that adds or mends and takes nothing away.
pub const ADDS: Hints = Hints { read_only: false, destructive: false, idempotent: true, open_world: true };

/// The hints of an operation that takes something away.
pub const TAKES: Hints = Hints { read_only: false, destructive: true, idempotent: true, open_world: true };
