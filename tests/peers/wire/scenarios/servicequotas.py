"""Service Quotas: what is, what AWS gives to everybody, and what was asked for."""


def run(t):
    ok = lambda action, **p: t.ok("service-quotas", action, **p)
    no = lambda action, code, **p: t.no("service-quotas", action, code, **p)
    ok("ListServices")
    quotas = ok("ListServiceQuotas", ServiceCode="sagemaker", MaxResults=20)["Quotas"]
    no("ListServiceQuotas", "NoSuchResourceException", ServiceCode="nothing")
    ok("ListAWSDefaultServiceQuotas", ServiceCode="eks")
    adjustable = next(one for one in quotas if one["Adjustable"])
    one = {"ServiceCode": "sagemaker", "QuotaCode": adjustable["QuotaCode"]}
    ok("GetServiceQuota", **one)
    no("GetServiceQuota", "NoSuchResourceException", ServiceCode="sagemaker", QuotaCode="L-00000000")
    ok("GetAWSDefaultServiceQuota", **one)
    asked = ok("RequestServiceQuotaIncrease", **one, DesiredValue=adjustable["Value"] + 1)["RequestedQuota"]
    no("RequestServiceQuotaIncrease", "ResourceAlreadyExistsException", **one, DesiredValue=adjustable["Value"] + 1)
    ok("GetRequestedServiceQuotaChange", RequestId=asked["Id"])
    no("GetRequestedServiceQuotaChange", "NoSuchResourceException", RequestId="0" * 32)
    ok("ListRequestedServiceQuotaChangeHistory")
    ok("ListRequestedServiceQuotaChangeHistoryByQuota", **one)
