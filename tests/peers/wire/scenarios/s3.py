"""S3: a bucket and its objects."""


def run(t):
    ok, no = (lambda action, **p: t.ok("s3", action, **p)), (lambda action, code, **p: t.no("s3", action, code, **p))
    ok("ListBuckets")
    bucket = {"Bucket": "wire-truth-of-the-account"}
    ok("CreateBucket", **bucket, CreateBucketConfiguration={"LocationConstraint": t.region})
    no("CreateBucket", "BucketAlreadyOwnedByYou", **bucket, CreateBucketConfiguration={"LocationConstraint": t.region})
    ok("HeadBucket", **bucket)
    ok("PutObject", **bucket, Key="a/b.txt", Body=b"hello")
    ok("HeadObject", **bucket, Key="a/b.txt")
    answer = ok("GetObject", **bucket, Key="a/b.txt")
    t.check("s3: what was put is read", [answer["Body"].read() != b"hello" and "other bytes"])
    no("GetObject", "NoSuchKey", **bucket, Key="nothing")
    ok("ListObjectsV2", **bucket, Prefix="a/", Delimiter="/")
    no("ListObjectsV2", "NoSuchBucket", Bucket="wire-truth-of-nobody")
    no("DeleteBucket", "BucketNotEmpty", **bucket)
    ok("DeleteObject", **bucket, Key="a/b.txt")
    ok("DeleteBucket", **bucket)
