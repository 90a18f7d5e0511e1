//! Each way in which a definition can be wrong.

use super::*;
use serde_json::json;

fn found(definition: Value) -> String {
    problems(&definition.to_string()).join("; ")
}

#[test]
fn a_good_definition_has_no_problem() {
    let good = json!({"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Succeed"}}});
    assert_eq!(found(good), "");
}

#[test]
fn each_problem_is_named_with_its_place() {
    let end = |state: Value| json!({"StartAt": "A", "States": {"A": state}});
    let cases = [
        (json!({"States": {"A": {"Type": "Succeed"}}}), "required: [StartAt] at /"),
        (json!({"StartAt": "A", "States": {}}), "required: [States] at /"),
        (json!({"StartAt": "X", "States": {"A": {"Type": "Succeed"}}}), "Missing 'Next' target: X at /StartAt"),
        (
            end(json!({"Type": "Pass", "Next": "X"})),
            "MISSING_TRANSITION_TARGET: Missing 'Next' target: X at /States/A/Next",
        ),
        (end(json!({"Type": "Pass"})), "[Next, End] at /States/A"),
        (end(json!({"Type": "Nap"})), "at /States/A/Type"),
        (end(json!({"Type": "Pass", "End": true, "Seconds": 1})), "Field is not supported at /States/A/Seconds"),
        (end(json!({"Type": "Wait", "End": true})), "TimestampPath] at /States/A"),
        (end(json!({"Type": "Task", "End": true})), "required: [Resource] at /States/A"),
        (end(json!({"Type": "Task", "End": true, "Resource": "x"})), "x is not recognized"),
        (end(json!({"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke"})), "'FunctionName'"),
        (end(json!({"Type": "Pass", "End": true, "ResultPath": "$.a[*]"})), "Reference Path"),
        (end(json!({"Type": "Pass", "End": true, "Parameters": {"a.$": "b"}})), "at /States/A/Parameters/a.$"),
        (
            end(json!({"Type": "Choice", "Choices": [{"Variable": "$.a", "Equals": 1, "Next": "A"}]})),
            "/Choices[0]/Equals",
        ),
        (
            json!({"StartAt": "A", "States": {"A": {"Type": "Succeed"}, "B": {"Type": "Succeed"}}}),
            "State \"B\" is not reachable. at /States/B",
        ),
        (
            end(
                json!({"Type": "Parallel", "End": true, "Branches": [{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}]}),
            ),
            "DUPLICATE_STATE_NAME",
        ),
        (
            end(json!({"Type": "Map", "End": true, "Retry": [{"ErrorEquals": ["States.ALL", "x"]}],
                "ItemProcessor": {"StartAt": "B", "States": {"B": {"Type": "Succeed"}}}})),
            "States.ALL must appear alone and in the last entry at /States/A/Retry[0]/ErrorEquals",
        ),
    ];
    for (definition, expected) in cases {
        let found = found(definition.clone());
        assert!(found.contains(expected), "{definition}: {found}");
    }
    assert!(problems("{").join("").starts_with("INVALID_JSON_DESCRIPTION"));
}
