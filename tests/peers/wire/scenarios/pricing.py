"""Price List: services, attributes, products."""


def run(t):
    ok, no = (lambda action, **p: t.ok("pricing", action, **p)), (lambda action, code, **p: t.no("pricing", action, code, **p))
    ok("DescribeServices")
    ok("DescribeServices", ServiceCode="AmazonSageMaker")
    no("DescribeServices", "NotFoundException", ServiceCode="Nothing")
    ok("GetAttributeValues", ServiceCode="AmazonSageMaker", AttributeName="instanceName")
    no("GetAttributeValues", "NotFoundException", ServiceCode="AmazonSageMaker", AttributeName="nothing")
    answer = ok("GetProducts", ServiceCode="AmazonSageMaker", MaxResults=5)
    t.check("pricing: there are products", [not answer["PriceList"] and "none"])
