//! Requests and answers of each protocol, and how each says what is wrong.

use super::*;
use crate::model;
use serde_json::json;

fn known(service: &str, action: &str) -> Operation {
    Operation::named(model::service(service).unwrap(), action).unwrap()
}

fn json_request(service: &str, action: &str, body: &Value) -> Request<Bytes> {
    let target = format!("{}.{action}", model::service(service).unwrap().target_prefix.as_deref().unwrap());
    Request::post("/").header("x-amz-target", target).body(Bytes::from(body.to_string())).unwrap()
}

fn form_request(service: &str, action: &str, parameters: &str) -> Request<Bytes> {
    let version = &model::service(service).unwrap().api_version;
    Request::post("/").body(Bytes::from(format!("Action={action}&Version={version}&{parameters}"))).unwrap()
}

fn read(service: &str, request: &Request<Bytes>) -> Result<(String, Value), AwsError> {
    let operation = operation(model::service(service).unwrap(), request)?;
    Ok((operation.name.to_owned(), decode(&operation, request)?))
}

fn refusal(service: &str, request: &Request<Bytes>) -> (String, String) {
    let error = read(service, request).unwrap_err();
    (error.code, error.message)
}

fn refused(code: &str, message: &str) -> (String, String) {
    (code.to_owned(), message.to_owned())
}

fn text(response: &Response<Bytes>) -> &str {
    std::str::from_utf8(response.body()).unwrap()
}

#[test]
fn aws_json_is_read() {
    let body = json!({"ClusterName": "demo", "TieredStorageConfig": {"Mode": "Enable"}, "Orchestrator": null});
    let (action, input) = read("sagemaker", &json_request("sagemaker", "CreateCluster", &body)).unwrap();
    assert_eq!(
        (action.as_str(), input),
        ("CreateCluster", json!({"ClusterName": "demo", "TieredStorageConfig": {"Mode": "Enable"}}))
    );
}

#[test]
fn rest_json_is_read_from_path_query_and_body() {
    let request = Request::delete("/tags/arn%3Aaws%3Aeks%3Aus-west-2%3A111122223333%3Acluster%2Fa?tagKeys=x&tagKeys=y");
    let (action, input) = read("eks", &request.body(Bytes::new()).unwrap()).unwrap();
    assert_eq!(action, "UntagResource");
    assert_eq!(input, json!({"resourceArn": "arn:aws:eks:us-west-2:111122223333:cluster/a", "tagKeys": ["x", "y"]}));

    let request = Request::get("/clusters/demo/addons?maxResults=5").body(Bytes::new()).unwrap();
    let (action, input) = read("eks", &request).unwrap();
    assert_eq!((action.as_str(), input), ("ListAddons", json!({"clusterName": "demo", "maxResults": 5})));

    let request = Request::post("/2015-03-31/functions/api/invocations")
        .header("x-amz-invocation-type", "RequestResponse")
        .body(Bytes::from_static(b"{\"a\":1}"));
    let (action, input) = read("lambda", &request.unwrap()).unwrap();
    assert_eq!(action, "Invoke");
    let wanted = json!({"Payload": "eyJhIjoxfQ==", "FunctionName": "api", "InvocationType": "RequestResponse"});
    assert_eq!(input, wanted);
}

#[test]
fn ec2_query_is_read_with_its_flat_lists() {
    let parameters = "CidrBlock=10.0.0.0%2F16&TagSpecification.1.ResourceType=vpc&TagSpecification.1.Tag.1.Key=Name\
        &TagSpecification.1.Tag.1.Value=demo&AmazonProvidedIpv6CidrBlock=false";
    let (_, input) = read("ec2", &form_request("ec2", "CreateVpc", parameters)).unwrap();
    let tags = json!([{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "demo"}]}]);
    assert_eq!(
        input,
        json!({"CidrBlock": "10.0.0.0/16", "TagSpecifications": tags, "AmazonProvidedIpv6CidrBlock": false})
    );
    let (_, input) =
        read("ec2", &form_request("ec2", "DescribeVpcs", "VpcId.2=vpc-b&VpcId.1=vpc-a&VpcId.10=vpc-c")).unwrap();
    assert_eq!(input, json!({"VpcIds": ["vpc-a", "vpc-b", "vpc-c"]}));
}

#[test]
fn query_is_read_with_its_member_lists() {
    let parameters = "RoleName=r&AssumeRolePolicyDocument=%7B%7D&Tags.member.1.Key=a&Tags.member.1.Value=b%20c";
    let (_, input) = read("iam", &form_request("iam", "CreateRole", parameters)).unwrap();
    let wanted = json!({"RoleName": "r", "AssumeRolePolicyDocument": "{}", "Tags": [{"Key": "a", "Value": "b c"}]});
    assert_eq!(input, wanted);
}

#[test]
fn an_unknown_action_is_refused_in_each_protocols_words() {
    let request = json_request("sagemaker", "Fly", &json!({}));
    assert_eq!(refusal("sagemaker", &request).0, "UnknownOperationException");
    let (code, message) = refusal("ec2", &form_request("ec2", "Fly", ""));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("InvalidAction", "The action Fly is not valid for this web service.")
    );
    assert_eq!(
        refusal("iam", &form_request("iam", "Fly", "")),
        refused("InvalidAction", "Could not find operation Fly for version 2010-05-08")
    );
    let request = Request::get("/nowhere").body(Bytes::new()).unwrap();
    assert_eq!(refusal("eks", &request).0, "UnknownOperationException");
}

#[test]
fn sagemaker_says_which_member_fails_which_constraint() {
    let error = |body: Value| refusal("sagemaker", &json_request("sagemaker", "DescribeClusterNode", &body));
    let (code, message) = error(json!({"NodeId": "i-0123456789abcdef0"}));
    assert_eq!(code, "ValidationException");
    assert_eq!(
        message,
        "1 validation error detected: Value null at 'clusterName' failed to satisfy constraint: Member must not be null"
    );
    let request = json_request("sagemaker", "ListClusters", &json!({"MaxResults": 1000, "SortBy": "SIZE"}));
    assert_eq!(
        refusal("sagemaker", &request).1,
        "2 validation errors detected: Value '1000' at 'maxResults' failed to satisfy constraint: Member must have value \
         less than or equal to 100; Value 'SIZE' at 'sortBy' failed to satisfy constraint: Member must satisfy enum value \
         set: [CREATION_TIME, NAME]"
    );
    let request = json_request("sagemaker", "DescribeCluster", &json!({"ClusterName": "a_b"}));
    assert!(refusal("sagemaker", &request).1.contains(
        "Value 'a_b' at 'clusterName' failed to satisfy constraint: Member must satisfy regular expression pattern: "
    ));
    let request = json_request("sagemaker", "ListClusters", &json!({"MaxResults": "ten"}));
    assert_eq!(
        refusal("sagemaker", &request),
        refused("SerializationException", "STRING_VALUE can not be converted to an Integer, at 'maxResults'")
    );
    let tags = json!({"ResourceArn": "arn:aws:sagemaker:us-west-2:111122223333:cluster/abc", "Tags": [{"Key": "a", "Value": "b", "Colour": "c"}]});
    assert_eq!(
        refusal("sagemaker", &json_request("sagemaker", "AddTags", &tags)).1,
        "1 validation error detected: Unknown parameter at 'tags.1.member.colour': it is not a member of this request"
    );
}

#[test]
fn other_json_services_use_their_own_codes() {
    let request = json_request("states", "StartExecution", &json!({}));
    assert_eq!(refusal("states", &request).0, "ValidationException");
    let request = json_request("logs", "FilterLogEvents", &json!({"limit": 0}));
    assert_eq!(refusal("logs", &request).0, "InvalidParameterException");
    let request = Request::post("/clusters").body(Bytes::from_static(b"{\"name\":\"a\"}")).unwrap();
    assert_eq!(refusal("eks", &request).0, "InvalidParameterException");
    let request = Request::post("/clusters").body(Bytes::from_static(b"{name}")).unwrap();
    assert_eq!(refusal("eks", &request).0, "SerializationException");
    let request = Request::get("/clusters?colour=red").body(Bytes::new()).unwrap();
    assert_eq!(refusal("eks", &request).0, "InvalidParameterException");
}

#[test]
fn dynamodb_says_which_member_is_unknown_missing_or_of_another_type() {
    let error = |action, body: Value| refusal("dynamodb", &json_request("dynamodb", action, &body));
    let key = json!({"pk": {"S": "a"}});
    let unknown = error("GetItem", json!({"TableName": "things", "Key": key, "Colour": "red"}));
    let detected = "1 validation error detected: ";
    let text = "Unknown parameter at 'colour': it is not a member of this request";
    assert_eq!(unknown, refused("ValidationException", &format!("{detected}{text}")));
    let missing = error("GetItem", json!({"TableName": "things"}));
    let text = "Value null at 'key' failed to satisfy constraint: Member must not be null";
    assert_eq!(missing, refused("ValidationException", &format!("{detected}{text}")));
    let put = json!({"TransactItems": [{"Put": {"TableName": "things", "Item": key, "Condition": "x"}}]});
    assert!(error("TransactWriteItems", put).1.contains("transactItems.1.member.put.condition"));
    for (action, body) in [
        ("Query", json!({"TableName": "things", "Limit": "ten"})),
        ("PutItem", json!({"TableName": "things", "Item": {"pk": {"S": 5}}})),
        ("PutItem", json!({"TableName": "things", "Item": {"pk": {"M": {"a": {"BOOL": "true"}}}}})),
    ] {
        assert_eq!(error(action, body.clone()).0, "SerializationException", "{body}");
    }
    let item =
        json!({"pk": {"S": "a"}, "all": {"M": {"n": {"N": "1"}, "no": {"NULL": true}, "l": {"L": [{"SS": ["b"]}]}}}});
    let put = json!({"TableName": "things", "Item": item});
    assert_eq!(read("dynamodb", &json_request("dynamodb", "PutItem", &put)).unwrap(), ("PutItem".to_owned(), put));
}

#[test]
fn ec2_says_unknown_missing_and_invalid() {
    let error = |action, parameters| refusal("ec2", &form_request("ec2", action, parameters));
    let unknown = refused("UnknownParameter", "The parameter Colour is not recognized");
    assert_eq!(error("CreateVpc", "CidrBlock=10.0.0.0%2F16&Colour=red"), unknown);
    assert_eq!(error("DeleteVpc", ""), refused("MissingParameter", "The request must contain the parameter VpcId"));
    assert_eq!(error("DescribeVpcs", "MaxResults=ten").0, "InvalidParameterValue");
    assert_eq!(error("CreateVpc", "InstanceTenancy=shared").0, "InvalidParameterValue");
    let old = Request::post("/").body(Bytes::from_static(b"Action=DescribeVpcs&Version=2014-01-01")).unwrap();
    assert_eq!(refusal("ec2", &old).0, "NoSuchVersion");
}

#[test]
fn iam_says_validation_error() {
    let (code, message) = refusal("iam", &form_request("iam", "GetRole", "RoleName=a%2Fb"));
    assert_eq!(code, "ValidationError");
    assert!(message.starts_with("1 validation error detected: Value 'a/b' at 'roleName' failed to satisfy constraint"));
}

#[test]
fn a_parameter_that_nests_too_deeply_is_refused() {
    let name = "a.".repeat(10_000);
    assert_eq!(refusal("ec2", &form_request("ec2", "DescribeVpcs", &format!("{name}=1"))).0, "MalformedQueryString");
}

#[test]
fn json_answers_carry_the_request_id() {
    let answer =
        json!({"executionArn": "arn:aws:states:us-west-2:111122223333:execution:m:e", "startDate": 1_767_323_045.5});
    let response = encode(&known("states", "StartExecution"), &answer, "id-1");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["x-amzn-requestid"], "id-1");
    assert_eq!(response.headers()["content-type"], "application/x-amz-json-1.0");
    assert_eq!(serde_json::from_slice::<Value>(response.body()).unwrap(), answer);
}

#[test]
fn rest_json_answers_use_status_headers_and_payload() {
    let answer = json!({"StatusCode": 202, "FunctionError": "Unhandled", "Payload": "eyJhIjoxfQ=="});
    let response = encode(&known("lambda", "Invoke"), &answer, "id-1");
    assert_eq!(response.status(), 202);
    assert_eq!(response.headers()["x-amz-function-error"], "Unhandled");
    assert_eq!(text(&response), "{\"a\":1}");
}

#[test]
fn ec2_answers_are_xml_in_their_own_names() {
    let answer = json!({"Vpcs": [{"VpcId": "vpc-1", "IsDefault": false, "Tags": [{"Key": "a&b", "Value": "<c>"}]}], "NextToken": "n"});
    let response = encode(&known("ec2", "DescribeVpcs"), &answer, "id-1");
    assert_eq!(
        text(&response),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DescribeVpcsResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
         <requestId>id-1</requestId><vpcSet><item><vpcId>vpc-1</vpcId><isDefault>false</isDefault><tagSet><item>\
         <key>a&amp;b</key><value>&lt;c&gt;</value></item></tagSet></item></vpcSet><nextToken>n</nextToken></DescribeVpcsResponse>"
    );
    let response = encode(&known("ec2", "DeleteVpc"), &json!({}), "id-1");
    assert!(text(&response).contains("<return>true</return>"));
}

#[test]
fn query_answers_are_xml_in_wrappers() {
    let answer = json!({"Account": "111122223333", "UserId": "u", "Arn": "arn"});
    let response = encode(&known("sts", "GetCallerIdentity"), &answer, "id-1");
    assert!(text(&response).contains(
        "<GetCallerIdentityResult><Account>111122223333</Account><UserId>u</UserId><Arn>arn</Arn></GetCallerIdentityResult>\
         <ResponseMetadata><RequestId>id-1</RequestId></ResponseMetadata>"
    ));
}

#[test]
fn an_answer_outside_the_model_is_an_internal_failure() {
    for answer in [
        json!({"Vpcs": [{"VpcName": "a"}]}),
        json!({"Vpcs": {}}),
        json!({"Vpcs": [{"IsDefault": "yes"}]}),
        json!({"NextToken": null}),
    ] {
        let response = encode(&known("ec2", "DescribeVpcs"), &answer, "id-1");
        assert_eq!(response.status(), 500, "{answer}");
        assert!(text(&response).contains("InternalFailure"));
    }
    let response = encode(&known("eks", "CreateCluster"), &json!({"cluster": {"status": "HAPPY"}}), "id-1");
    assert_eq!(response.status(), 500);
}

#[test]
fn errors_are_written_as_each_protocol_does() {
    let service = |name| model::service(name).unwrap();
    let in_use = AwsError::new("ResourceInUse", "Cluster demo exists");
    let response = encode_error(service("sagemaker"), &in_use, "id-1");
    assert_eq!(response.status(), 400);
    assert_eq!(text(&response), r#"{"__type":"ResourceInUse","Message":"Cluster demo exists"}"#);

    let missing = AwsError::new("ResourceNotFoundException", "No cluster found for name: a.").with("clusterName", "a");
    let response = encode_error(service("eks"), &missing, "id-1");
    assert_eq!(response.status(), 404);
    assert_eq!(response.headers()["x-amzn-errortype"], "ResourceNotFoundException");
    assert_eq!(text(&response), r#"{"message":"No cluster found for name: a.","clusterName":"a"}"#);

    let response = encode_error(service("iam"), &AwsError::new("NoSuchEntity", "The role <r> is not there"), "id-1");
    assert_eq!(response.status(), 404);
    assert!(text(&response).contains(
        "<Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>The role &lt;r&gt; is not there</Message></Error>\
         <RequestId>id-1</RequestId>"
    ));

    let response = encode_error(service("ec2"), &AwsError::new("InvalidVpcID.NotFound", "no"), "id-1");
    assert_eq!(response.status(), 400);
    assert!(text(&response).contains("<RequestID>id-1</RequestID>"));
}
