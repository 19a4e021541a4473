#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Credentials and settings: from the environment and the files of ~/.aws, each
# mistake in them told with its place.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

TOKEN=session/TOKEN+of/these==

# creds RULE...: a cloud that knows two keys, one of them with a token.
creds() {
  CLOUD_SETTINGS="\"keys\": {\"$TEST_KEY\": {\"secret\": \"$TEST_SECRET\"},
    \"AKIDOTHER\": {\"secret\": \"other-secret-0123456789\", \"token\": \"$TOKEN\"}}" cloud
  mkdir -p home/.aws
  seed 10
}

# get ARG...: with nothing of AWS in the environment.
get() {
  run_ank AWS_ACCESS_KEY_ID= AWS_SECRET_ACCESS_KEY= "$@" ankget s3://bucket/k out
}

# signed_by KEY: the last request was, and well.
signed_by() {
  assert_exit 0
  assert_contains "$(request "$(requests)" '.headers[] | select(.[0] == "Authorization")[1]')" \
    "Credential=$1/"
  assert_eq "$(request "$(requests)" .signature)" ok
}

profile() { # FILE SECTION KEY SECRET [TOKEN]
  printf '[%s]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$2" "$3" "$4" >>"$1"
  [ -z "${5-}" ] || printf 'aws_session_token = %s\n' "$5" >>"$1"
}

@test "from the environment, with a session token" {
  creds
  get AWS_ACCESS_KEY_ID="$TEST_KEY" AWS_SECRET_ACCESS_KEY="$TEST_SECRET"
  signed_by "$TEST_KEY"
  refute request_header 1 x-amz-security-token
  get AWS_ACCESS_KEY_ID=AKIDOTHER AWS_SECRET_ACCESS_KEY=other-secret-0123456789 \
    AWS_SESSION_TOKEN="$TOKEN"
  signed_by AKIDOTHER
  assert_eq "$(request_header 2 x-amz-security-token)" "$TOKEN"
  assert_careful
}

@test "from ~/.aws/credentials: default, AWS_PROFILE, --profile and ANK_PROFILE" {
  creds
  profile home/.aws/credentials default "$TEST_KEY" "$TEST_SECRET"
  profile home/.aws/credentials two AKIDOTHER other-secret-0123456789 "$TOKEN"
  get
  signed_by "$TEST_KEY"
  get AWS_PROFILE=two
  signed_by AKIDOTHER
  get AWS_DEFAULT_PROFILE=two
  signed_by AKIDOTHER
  get ANK_PROFILE=two
  signed_by AKIDOTHER
  run_ank ankget --profile two s3://bucket/k out # the flag goes before the variables
  signed_by AKIDOTHER
  run_ank AWS_PROFILE=two ankget s3://bucket/k out # keys before AWS_PROFILE
  signed_by "$TEST_KEY"
}

@test "from ~/.aws/config: [default], [profile x]; the credentials file goes first" {
  creds
  profile home/.aws/config default "$TEST_KEY" "$TEST_SECRET"
  profile home/.aws/config 'profile two' AKIDOTHER other-secret-0123456789 "$TOKEN"
  get
  signed_by "$TEST_KEY"
  get AWS_PROFILE=two
  signed_by AKIDOTHER
  profile home/.aws/credentials two "$TEST_KEY" "$TEST_SECRET"
  get AWS_PROFILE=two
  signed_by "$TEST_KEY"
}

@test "AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name the files, ~ is HOME" {
  creds
  profile home/c default "$TEST_KEY" "$TEST_SECRET"
  get AWS_SHARED_CREDENTIALS_FILE="$T/home/c"
  signed_by "$TEST_KEY"
  get AWS_SHARED_CREDENTIALS_FILE='~/c'
  signed_by "$TEST_KEY"
  get AWS_CONFIG_FILE="$T/home/c"
  signed_by "$TEST_KEY"
  get AWS_SHARED_CREDENTIALS_FILE="$T/none"
  assert_exit 4
  assert_human "$T/none: No such file"
}

@test "files with CRLF, a BOM, comments, odd spaces, long lines and no last line break" {
  creds
  printf '\xef\xbb\xbf# made by hand\r\n\r\n[default]\r\naws_access_key_id=%s\r\n; %04000d\r\naws_secret_access_key   =\t%s  \r\nx = %040000d\r\nregion = us-east-1' \
    "$TEST_KEY" 0 "$TEST_SECRET" 0 >home/.aws/credentials
  get
  signed_by "$TEST_KEY"
}

@test "a damaged file is told with its line, and nothing is sent (case 94)" {
  local text place
  creds
  while IFS='|' read -r text place; do
    printf '%b' "$text" >home/.aws/credentials
    get
    assert_exit 4
    assert_json result outcome credentials
    assert_human "home/.aws/credentials: $place"
  done <<'EOF2'
[default\naws_access_key_id = x\n|line 1: no ']'
[default]\n\naws_access_key_id x\n|line 3: no '='
[default]\n= x\n|line 2: no name
[]\nx = y\n|line 1: empty section name
[default]\nx = a\0b\n|line 2: a NUL byte
EOF2
  assert_eq "$(requests)" 0
}

@test "a file that cannot be read, is too large or is none is told" {
  creds
  mkdir home/.aws/credentials
  get
  assert_exit 4
  assert_human 'is not a regular file'
  rmdir home/.aws/credentials
  head -c 1048577 /dev/zero | tr '\0' '#' >home/.aws/credentials
  get
  assert_exit 4
  assert_human 'is larger than 1048576 bytes'
  rm home/.aws/credentials
  mkfifo home/.aws/credentials
  ANK_TIMEOUT=5 get
  assert_exit 4
  rm home/.aws/credentials
  profile home/.aws/credentials default "$TEST_KEY" "$TEST_SECRET"
  chmod 000 home/.aws/credentials
  chmod 755 home home/.aws
  unprivileged get
  assert_exit 4
  assert_human 'home/.aws/credentials: Permission denied'
  assert_eq "$(requests)" 0
}

@test "none at all: at once, with the places looked at" {
  creds
  get
  assert_exit 4
  assert_json result outcome credentials
  assert_human 'AWS_ACCESS_KEY_ID'
  assert_human "$T/home/.aws/credentials"
  assert_human "$T/home/.aws/config"
  assert_between "$(json result elapsed_ms)" 0 500
  assert_eq "$(requests)" 0
  run_ank -AWS_ACCESS_KEY_ID -HOME ankget s3://bucket/k out
  assert_exit 4
  assert_human 'HOME is unset'
}

@test "a profile that is missing, or without keys, is told by its name" {
  creds
  profile home/.aws/credentials default "$TEST_KEY" "$TEST_SECRET"
  run_ank ankget --profile nosuch s3://bucket/k out
  assert_exit 4
  assert_human "profile 'nosuch' is neither in $T/home/.aws/credentials"
  get AWS_PROFILE=nosuch
  assert_exit 4
  assert_human nosuch
  printf '[profile empty]\nregion = eu-west-1\n' >home/.aws/config
  get AWS_PROFILE=empty
  assert_exit 4
  assert_human "no credentials"
  assert_human empty
  printf '[profile empty]\n' >home/.aws/config # no profile, but there
  get AWS_PROFILE=empty AWS_EC2_METADATA_DISABLED=false
  assert_human 'no credentials'
  refute assert_human 'switched off'
  assert_eq "$(requests)" 0
}

@test "an access key without its secret is a mistake to be told of" {
  creds
  get AWS_ACCESS_KEY_ID=AKIDOTHER
  assert_exit 4
  assert_human AWS_SECRET_ACCESS_KEY
  printf '[default]\naws_access_key_id = x\n' >home/.aws/credentials
  get
  assert_exit 4
  assert_human '[default] has aws_access_key_id but no aws_secret_access_key'
  assert_eq "$(requests)" 0
}

@test "a value with a line break never becomes a header" {
  creds
  get AWS_ACCESS_KEY_ID=$'AKID\r\nEvil: 1' AWS_SECRET_ACCESS_KEY=12345678
  [ "$status" -eq 2 ] || [ "$status" -eq 4 ]
  get AWS_ACCESS_KEY_ID=AKID AWS_SECRET_ACCESS_KEY=12345678 \
    AWS_SESSION_TOKEN=$'t\nEvil: 1'
  [ "$status" -eq 2 ] || [ "$status" -eq 4 ]
  assert_eq "$(requests)" 0
}

# explained FILE TEXT ARG...: what would be done, as a line of key, region and
# URL, with TEXT (%K: two keys) in FILE.
explained() {
  local file=$1 text=${2//%K/aws_access_key_id=AKIDFILE$'\\n'aws_secret_access_key=s}
  shift 2
  rm -f home/.aws/c*
  printf '%b' "$text" >"home/.aws/$file"
  run_ank AWS_ACCESS_KEY_ID= AWS_SECRET_ACCESS_KEY= -AWS_REGION -ANK_ENDPOINT \
    AWS_EC2_METADATA_DISABLED=true ankput --explain --dry-run "$@" \
    "$T/object" s3://bucket/k
  sed -n 's/^identity: \([^,]*\),.*region \(.*\)/\1 \2/p; s/^request: PUT //p' \
    "$ERR" | paste -sd' '
}

@test "the files are read as AWS's own tools read them" {
  local file text arg want n=0
  mkdir -p home/.aws
  : >object
  while IFS='|' read -r file text arg want; do
    assert_eq "$n $(explained "$file" "$text" ${arg:+--profile "$arg"})" "$n $want"
    n=$((n + 1))
  done <<'END'
credentials|[default]\nAWS_Access_Key_ID=A\naws_secret_access_key=s\nRegion=r-1||A r-1 https://bucket.s3.r-1.amazonaws.com/k
credentials|[default]\naws_access_key_id: A\naws_secret_access_key : s\nregion = r-1||A r-1 https://bucket.s3.r-1.amazonaws.com/k
config|[profile default]\n%K\nregion=r-1||AKIDFILE r-1 https://bucket.s3.r-1.amazonaws.com/k
config|[default]\nregion=r-1\n[profile default]\n%K\nregion=r-2||AKIDFILE r-2 https://bucket.s3.r-2.amazonaws.com/k
config|[profile "a b"]\n%K\nregion=r-1|a b|AKIDFILE r-1 https://bucket.s3.r-1.amazonaws.com/k
config|[profile \t 'x']\n%K\nregion=r-1|x|AKIDFILE r-1 https://bucket.s3.r-1.amazonaws.com/k
config|[profiles x]\n%K\nregion=r-1\n[profile x "]\nregion=r-2|x|
config|[profile x]\n%K\nregion=r-1\nendpoint_url=http://127.0.0.1:7\nignore_configured_endpoint_urls=true|x|AKIDFILE r-1 https://bucket.s3.r-1.amazonaws.com/k
config|[profile x]\n%K\nregion=r-1\nservices=y\n[services  "y"]\nS3=\n  endpoint_url=http://127.0.0.1:7/b|x|AKIDFILE r-1 http://127.0.0.1:7/b/bucket/k
credentials|[x]\n%K\nregion=r-1\nendpoint_url=http://127.0.0.1:7|x|AKIDFILE r-1 http://127.0.0.1:7/bucket/k
credentials|[x]\naws_session_token=\nrole_arn=\n%K\nregion=r-1|x|AKIDFILE r-1 https://bucket.s3.r-1.amazonaws.com/k
END
  assert_eq "$n" 11
}

@test "/dev/null is a file that says nothing; one that is damaged hides no variable" {
  creds
  printf '[default]\nregion = eu-west-1\n[' >home/.aws/credentials
  run_ank ankget s3://bucket/k out
  signed_by "$TEST_KEY"
  run_ank AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null \
    ankget s3://bucket/k out
  signed_by "$TEST_KEY"
}

# region and endpoint

@test "the region: flag, ANK_REGION, AWS_REGION, AWS_DEFAULT_REGION, profile" {
  CLOUD_SETTINGS='"region": "eu-west-1"' cloud
  seed 10
  mkdir -p home/.aws
  printf '[default]\nregion = eu-west-1\n[profile x]\nregion = eu-west-1\n' >home/.aws/config
  run_ank -AWS_REGION ankget s3://bucket/k out
  assert_exit 0
  run_ank -AWS_REGION AWS_PROFILE=x ankget s3://bucket/k out
  assert_exit 0
  run_ank AWS_REGION= AWS_DEFAULT_REGION=eu-west-1 ankget s3://bucket/k out
  assert_exit 0
  run_ank AWS_REGION=eu-west-1 AWS_DEFAULT_REGION=x ankget s3://bucket/k out
  assert_exit 0
  run_ank ANK_REGION=eu-west-1 ankget s3://bucket/k out
  assert_exit 0
  run_ank ANK_REGION=x ankget --region eu-west-1 s3://bucket/k out
  assert_exit 0
  assert_eq "$(requests)" 6
}

@test "the endpoint: flag, ANK_ENDPOINT, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, profile" {
  cloud
  seed 10
  mkdir -p home/.aws
  local e=$CLOUD_URL n=0
  get_from() { run_ank "$@" ankget s3://bucket/k out && assert_exit 0 && n=$((n + 1)) && assert_eq "$(requests)" "$n"; }
  get_from -ANK_ENDPOINT AWS_ENDPOINT_URL="$e"
  get_from -ANK_ENDPOINT AWS_ENDPOINT_URL_S3="$e" AWS_ENDPOINT_URL=http://127.0.0.1:1
  get_from AWS_ENDPOINT_URL_S3=http://127.0.0.1:1
  printf '[default]\nendpoint_url = %s\n' "$e" >home/.aws/config
  get_from -ANK_ENDPOINT
  printf '[default]\nservices = mine\nendpoint_url = http://127.0.0.1:1\n[services mine]\ns3 =\n  endpoint_url = %s\n  other = 1\n' "$e" >home/.aws/config
  get_from -ANK_ENDPOINT
  run_ank -ANK_ENDPOINT AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true ankget --dry-run s3://bucket/k out
  assert_json result url https://bucket.s3.us-east-1.amazonaws.com/k
}

@test "a bad region or endpoint is told with where it was said (case 94)" {
  cloud
  mkdir -p home/.aws
  bad() { # WHERE ENV...
    local where=$1
    shift
    run_ank "$@" ankget s3://bucket/k out
    assert_usage "$where: "
  }
  run_ank ankget --region 'eu west' s3://bucket/k out
  assert_usage "--region: 'eu west'"
  run_ank ankget --region evil.example.com# s3://bucket/k out
  assert_usage "--region: "
  bad ANK_REGION ANK_REGION=a.b
  bad AWS_REGION AWS_REGION=a/b
  bad AWS_DEFAULT_REGION -AWS_REGION AWS_DEFAULT_REGION=@x
  run_ank ankget --endpoint ftp://x s3://bucket/k out
  assert_usage --endpoint:
  bad ANK_ENDPOINT ANK_ENDPOINT=host:9000
  bad AWS_ENDPOINT_URL -ANK_ENDPOINT AWS_ENDPOINT_URL=http://a/?b
  bad AWS_ENDPOINT_URL_S3 -ANK_ENDPOINT AWS_ENDPOINT_URL_S3=http://
  printf '[default]\nregion = a.b\n' >home/.aws/config
  bad "$T/home/.aws/config" -AWS_REGION
  printf '[default]\nendpoint_url = nonsense\n' >home/.aws/config
  bad "$T/home/.aws/config" -ANK_ENDPOINT
}

@test "other partitions, FIPS and dual stack have hosts of their own" {
  local region set want file
  : >object
  mkdir -p home/.aws
  while IFS='|' read -r region set file want; do
    printf '%b' "$file" >home/.aws/config
    run_ank -ANK_ENDPOINT AWS_REGION="$region" ${set:+$set} ankput --dry-run \
      "$T/object" s3://bucket/k
    assert_eq "$(json result url)" "https://bucket.$want/k"
  done <<'END'
cn-north-1|||s3.cn-north-1.amazonaws.com.cn
eusc-de-east-1|||s3.eusc-de-east-1.amazonaws.eu
us-iso-east-1|||s3.us-iso-east-1.c2s.ic.gov
us-isob-east-1|||s3.us-isob-east-1.sc2s.sgov.gov
us-gov-west-1|AWS_USE_FIPS_ENDPOINT=true||s3-fips.us-gov-west-1.amazonaws.com
us-east-1|AWS_USE_FIPS_ENDPOINT=false|[default]\nuse_fips_endpoint=true|s3.us-east-1.amazonaws.com
us-east-1||[default]\nuse_fips_endpoint=true\nuse_dualstack_endpoint=True|s3-fips.dualstack.us-east-1.amazonaws.com
cn-north-1|AWS_USE_DUALSTACK_ENDPOINT=true||s3.dualstack.cn-north-1.amazonaws.com.cn
END
}

@test "without any region AWS's own endpoint is refused, another one signs for us-east-1" {
  cloud
  seed 10
  run_ank -AWS_REGION -ANK_ENDPOINT ankget s3://bucket/k out
  assert_usage 'no region'
  run_ank -AWS_REGION ankget s3://bucket/k out
  assert_exit 0
}

@test "virtual addressing needs a bucket and a host that fit into a name" {
  cloud
  run_ank ankget --addressing virtual s3://bucket/k out
  assert_usage --addressing
  run_ank ankget --addressing virtual --endpoint http://s3.localhost s3://Bu_cket/k out
  assert_usage --addressing
  run_ank ANK_ADDRESSING=virtual ankget s3://bucket/k out
  assert_usage ANK_ADDRESSING
}
