"""DynamoDB: a table, its items by every way of reading and writing, and its removal."""

NAME = "wire"
KEY = {"pk": {"S": "a"}, "sk": {"S": "1"}}
ITEM = {**KEY, "count": {"N": "1"}}


def run(t):
    ok = lambda action, **p: t.ok("dynamodb", action, **p)
    no = lambda action, code, **p: t.no("dynamodb", action, code, **p)
    table = ok("CreateTable", TableName=NAME, BillingMode="PAY_PER_REQUEST",
               AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
               KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])
    arn = table["TableDescription"]["TableArn"]
    no("CreateTable", "ValidationException", TableName="x", KeySchema=[], AttributeDefinitions=[])
    t.until("the table is active",
            lambda: t.ask("dynamodb", "DescribeTable", TableName=NAME)["Table"]["TableStatus"] == "ACTIVE")
    ok("DescribeTable", TableName=NAME)
    no("DescribeTable", "ResourceNotFoundException", TableName="nothing")
    ok("ListTables")
    _items(ok, no)
    _together(ok, no)
    _statements(ok, no)
    ok("UpdateTimeToLive", TableName=NAME, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    ok("DescribeTimeToLive", TableName=NAME)
    ok("TagResource", ResourceArn=arn, Tags=[{"Key": "team", "Value": "wire"}])
    ok("ListTagsOfResource", ResourceArn=arn)
    ok("UntagResource", ResourceArn=arn, TagKeys=["team"])
    ok("UpdateTable", TableName=NAME, DeletionProtectionEnabled=False)
    no("UpdateTable", "ResourceNotFoundException", TableName="nothing", DeletionProtectionEnabled=True)
    ok("DeleteTable", TableName=NAME)
    no("DeleteTable", "ResourceNotFoundException", TableName="nothing")


def _items(ok, no):
    ok("PutItem", TableName=NAME, Item=ITEM, ReturnConsumedCapacity="TOTAL")
    no("PutItem", "ConditionalCheckFailedException", TableName=NAME, Item=ITEM,
       ConditionExpression="attribute_not_exists(pk)")
    no("PutItem", "ResourceNotFoundException", TableName="nothing", Item=ITEM)
    ok("GetItem", TableName=NAME, Key=KEY, ConsistentRead=True)
    no("GetItem", "ValidationException", TableName=NAME, Key={"pk": {"S": "a"}})
    ok("UpdateItem", TableName=NAME, Key=KEY, UpdateExpression="SET #c = #c + :one",
       ExpressionAttributeNames={"#c": "count"}, ExpressionAttributeValues={":one": {"N": "1"}}, ReturnValues="ALL_NEW")
    no("UpdateItem", "ValidationException", TableName=NAME, Key=KEY, UpdateExpression="SET nothing")
    ok("Query", TableName=NAME, KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": {"S": "a"}})
    no("Query", "ValidationException", TableName=NAME, KeyConditionExpression="other = :pk",
       ExpressionAttributeValues={":pk": {"S": "a"}})
    ok("Scan", TableName=NAME, Limit=1)
    ok("DeleteItem", TableName=NAME, Key=KEY, ReturnValues="ALL_OLD")


def _together(ok, no):
    ok("BatchWriteItem", RequestItems={NAME: [{"PutRequest": {"Item": ITEM}}]})
    ok("BatchGetItem", RequestItems={NAME: {"Keys": [KEY]}})
    no("BatchGetItem", "ValidationException", RequestItems={})
    put = {"Put": {"TableName": NAME, "Item": ITEM, "ConditionExpression": "attribute_not_exists(pk)"}}
    no("TransactWriteItems", "TransactionCanceledException", TransactItems=[put])
    ok("TransactWriteItems", TransactItems=[{"Delete": {"TableName": NAME, "Key": KEY}}], ClientRequestToken="wire-1")
    ok("TransactGetItems", TransactItems=[{"Get": {"TableName": NAME, "Key": KEY}}])


def _statements(ok, no):
    insert = f"INSERT INTO \"{NAME}\" VALUE {{'pk': 'b', 'sk': '1'}}"
    ok("ExecuteStatement", Statement=insert)
    no("ExecuteStatement", "DuplicateItemException", Statement=insert)
    read = f"SELECT * FROM \"{NAME}\" WHERE pk = 'b' AND sk = '1'"
    ok("BatchExecuteStatement", Statements=[{"Statement": read}])
    ok("ExecuteTransaction", TransactStatements=[{"Statement": read}])
