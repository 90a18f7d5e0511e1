//! What the deployment makes before anything runs: the table and the state machines.

use crate::{
    roles, rules,
    wiring::{ACCOUNT_ID, Installed, cloud},
};
use account::{Account, iam::Credentials, states};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType,
};
use aws_sdk_sfn::types::StateMachineType;
use domain::naming;
use engine::starter::Machines;

const MACHINES: [(&str, &str); 2] = [
    ("cluster", include_str!("../../../../statemachines/cluster.asl.json")),
    ("health-sweep", include_str!("../../../../statemachines/health-sweep.asl.json")),
];

/// The machine of every operation beside the stages; deployed once for each with its own function.
const OPERATION: &str = include_str!("../../../../statemachines/operation.asl.json");

/// Operations beside the stages.
pub const OPERATIONS: [&str; 1] = ["stop-spending"];

/// Names by which the committed state machines call functions.
const SUBSTITUTIONS: [(&str, &str); 8] = [
    ("ControlPlaneFunction", "control-plane"),
    ("SelectionFunction", "selection"),
    ("DependenciesFunction", "dependencies"),
    ("HyperpodFunction", "hyperpod"),
    ("StorageFunction", "storage"),
    ("VerificationFunction", "verification"),
    ("SettleFunction", "settle"),
    ("SweepFunction", "sweep"),
];

/// Why the product could not be installed.
#[derive(Debug, thiserror::Error)]
#[error("the product could not be installed: {0}")]
pub struct InstallError(String);

/// Makes table and state machines where they are not there yet.
///
/// # Errors
/// What the account refused.
pub async fn install(account: &Account, installed: &Installed, root: &Credentials) -> Result<(), InstallError> {
    let config = cloud(account, root).engine_config(&installed.home()).await;
    table(&aws_sdk_dynamodb::Client::new(&config), &installed.table).await?;
    let iam = aws_sdk_iam::Client::new(&config);
    roles::install(&iam, installed).await.map_err(|error| refused(&error))?;
    let sfn = aws_sdk_sfn::Client::new(&config);
    for (name, definition) in MACHINES {
        machine(&sfn, &installed.machines, name, definition, None).await?;
    }
    for operation in OPERATIONS {
        machine(&sfn, &installed.machines, operation, OPERATION, Some(operation)).await?;
    }
    rules::install(account, installed).map_err(|error| refused(&error))
}

async fn machine(
    sfn: &aws_sdk_sfn::Client,
    machines: &Machines,
    name: &str,
    definition: &str,
    operation: Option<&str>,
) -> Result<(), InstallError> {
    let mut values: Vec<(&str, String)> =
        SUBSTITUTIONS.iter().map(|(word, function)| (*word, naming::function_role(function))).collect();
    values.extend(operation.map(|operation| ("OperationFunction", naming::function_role(operation))));
    let definition = states::substituted(definition, values.iter().map(|(word, name)| (*word, name.as_str())));
    let made = sfn
        .create_state_machine()
        .name(naming::function_role(name))
        .definition(&definition)
        .role_arn(format!("arn:aws:iam::{ACCOUNT_ID}:role/{}", naming::function_role("states")))
        .r#type(StateMachineType::Standard)
        .send()
        .await;
    match made.map_err(aws_sdk_sfn::error::SdkError::into_service_error) {
        Ok(_) => Ok(()),
        // A machine of an earlier release; what runs in it goes on as it began.
        Err(error) if error.is_state_machine_already_exists() => {
            let updated = sfn
                .update_state_machine()
                .state_machine_arn(format!("{}{name}", machines.operation_prefix))
                .definition(definition)
                .send()
                .await;
            updated.map(drop).map_err(|error| refused(&error.into_service_error()))
        }
        Err(error) => Err(refused(&error)),
    }
}

async fn table(dynamodb: &aws_sdk_dynamodb::Client, name: &str) -> Result<(), InstallError> {
    let attribute =
        |name: &str| AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
    let key = |name: &str, kind: KeyType| KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    let built = |error: aws_sdk_dynamodb::error::BuildError| InstallError(error.to_string());
    let index = GlobalSecondaryIndex::builder()
        .index_name(engine::store::keys::INDEX)
        .key_schema(key("gsi1pk", KeyType::Hash).map_err(built)?)
        .key_schema(key("gsi1sk", KeyType::Range).map_err(built)?)
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .map_err(built)?;
    let mut create = dynamodb
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key("pk", KeyType::Hash).map_err(built)?)
        .key_schema(key("sk", KeyType::Range).map_err(built)?)
        .global_secondary_indexes(index);
    for name in ["pk", "sk", "gsi1pk", "gsi1sk"] {
        create = create.attribute_definitions(attribute(name).map_err(built)?);
    }
    match create.send().await.map_err(aws_sdk_dynamodb::error::SdkError::into_service_error) {
        Ok(_) => Ok(()),
        Err(error) if error.is_resource_in_use_exception() => Ok(()),
        Err(error) => Err(refused(&error)),
    }
}

fn refused(error: &dyn std::error::Error) -> InstallError {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    InstallError(text)
}
