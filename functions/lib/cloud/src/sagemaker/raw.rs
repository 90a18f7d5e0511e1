//! The body of an answer as it came: the SDK drops members that its model does not know, and those are the point.

use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        interceptors::{Intercept, context::AfterDeserializationInterceptorContextRef},
        runtime_components::RuntimeComponents,
    },
};
use aws_smithy_types::config_bag::ConfigBag;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps the body of one call's answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Body(Arc<Mutex<Option<Value>>>);

impl Body {
    /// The body, if one came and was JSON.
    pub(super) fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Intercept for Body {
    fn name(&self) -> &'static str {
        "Body"
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let body = context.response().body().bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = body;
        Ok(())
    }
}
