"""Checks signatures of AWS, version 4, independently of the program that makes them.

`EXAMPLES` are the worked examples of Amazon's documentation, "Signature Calculations for the Authorization Header".
"""

import hashlib
import hmac
import re
import urllib.parse

EXAMPLE_KEYS = {"AKIAIOSFODNN7EXAMPLE": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
HOST = {"host": "examplebucket.s3.amazonaws.com", "x-amz-date": "20130524T000000Z"}
EXAMPLES = [
    ("GET", "/test.txt", b"", {"range": "bytes=0-9"}, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    ("PUT", "/test%24file.text", b"Welcome to Amazon S3.",
     {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"},
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    ("GET", "/?lifecycle", b"", {}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    ("GET", "/?max-keys=2&prefix=J", b"", {}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
]


def check_examples():
    """The examples have the signatures that the documentation gives them, and no others."""
    for method, target, body, headers, signature in EXAMPLES:
        headers = headers | HOST | {"x-amz-content-sha256": hashlib.sha256(body).hexdigest()}
        for end, expected in [(signature, None), (signature[:-1] + "x", "SignatureDoesNotMatch")]:
            value = f"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " \
                    f"SignedHeaders={';'.join(sorted(headers))}, Signature={end}"
            found = fault(method, target, headers | {"authorization": value}, body, EXAMPLE_KEYS)
            assert found == expected, (method, target, found)


def fault(method, target, headers, body, keys):
    """Returns the error code with which S3 answers a request, or None. The names of headers are in lower case."""
    form = (r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/(s3)/aws4_request, ?"
            r"SignedHeaders=([^,]+), ?Signature=([0-9a-z]+)")
    match = re.fullmatch(form, headers.get("authorization", ""))
    if not match:
        return "AccessDenied"
    key, day, region, service, names, signature = match.groups()
    if key not in keys:
        return "InvalidAccessKeyId"
    if headers["x-amz-content-sha256"] not in (hashlib.sha256(body).hexdigest(), "UNSIGNED-PAYLOAD"):
        return "XAmzContentSHA256Mismatch"
    names = names.split(";")
    unsigned = [name for name in headers if (name == "host" or name.startswith("x-amz-")) and name not in names]
    if unsigned:
        return "AccessDenied"
    path, _, query = target.partition("?")
    pairs = sorted((part.partition("=")[0], part.partition("=")[2]) for part in query.split("&") if part)
    canonical = "\n".join([
        method,
        urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~"),
        "&".join(f"{name}={value}" for name, value in pairs),
        *(f"{name}:{' '.join(headers[name].split())}" for name in names),
        "",
        ";".join(names),
        headers["x-amz-content-sha256"],
    ])
    scope = f"{day}/{region}/{service}/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest])
    signing = ("AWS4" + keys[key]).encode()
    for part in [day, region, service, "aws4_request", text]:
        signing = hmac.new(signing, part.encode(), hashlib.sha256).digest()
    return None if hmac.compare_digest(signing.hex(), signature) else "SignatureDoesNotMatch"
