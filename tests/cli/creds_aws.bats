#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# AWS credentials that have to be asked for: roles, web identities, SSO
# sessions, helpers, the services of containers and instances.

load ../lib/harness
load policy
load tokens

aws_file() { mkdir -p "$T/home/.aws"; cat >"$T/home/.aws/$1"; }

KEYS_OF_TEST="aws_access_key_id = $TEST_KEY
aws_secret_access_key = $TEST_SECRET"

role_profile() { # LINE...: profile r takes on a role, by profile base
  aws_file config <<END
[profile base]
$KEYS_OF_TEST
[profile r]
role_arn = arn:aws:iam::123456789012:role/demo
source_profile = base
$(printf '%s\n' "$@")
END
}

STS_KEYS="\"keys\": {\"$TEST_KEY\": {\"secret\": \"$TEST_SECRET\"}}"

imds() { # ARG...: a put with what the instance has
  put "${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= \
    AWS_EC2_METADATA_SERVICE_ENDPOINT="$PLACES_URL" "$@"
}

# --- roles --------------------------------------------------------------------

# bats test_tags=valgrind
@test "a role by its source profile: one signed request to STS, told as such" {
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS}"
  role_profile 'external_id = ext/1' 'role_session_name = night job'
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
  ends 0 ok
  well_asked
  assert_eq "$(asked_of place)" sts
  assert_eq "$(asked_of signed_by)" "$TEST_KEY"
  assert_eq "$(asked_of region)" us-east-1
  assert_eq "$(jq -c .form "$PLACES/tokens.ndjson")" '{"Version":"2011-06-15","Action":"AssumeRole","RoleArn":"arn:aws:iam::123456789012:role/demo","RoleSessionName":"night job","ExternalId":"ext/1"}'
  assert_eq "$(signed_by)" AKIDGIVEN
  assert_eq "$(told op)" 'token put'
  assert_eq "$(op_told token endpoint)" "$PLACES_URL"
  assert_eq "$(op_told token bucket)" -
  assert_json result attempts 2
  assert_json result retries 0
}

@test "a chain of roles: each is asked for with what the one before gave" {
  store
  places "{\"give\": {\"sts\": [$(given 2), $(given)]},
    \"keys\": {\"$TEST_KEY\": {\"secret\": \"$TEST_SECRET\"},
      \"AKIDGIVEN2\": {\"secret\": \"${TOKEN_SECRET}2\", \"token\": \"${TOKEN_TOKEN}2\"}}}"
  role_profile '[profile top]' 'role_arn = arn:top' 'source_profile = r'
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile top
  ends 0 ok
  well_asked
  assert_eq "$(asked_of signed_by)" "$TEST_KEY AKIDGIVEN2"
  assert_eq "$(signed_by)" AKIDGIVEN
}

@test "a source that has keys is asked for nothing; its own role is not its keys'" {
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS}"
  role_profile "$KEYS_OF_TEST" '[profile top]' 'role_arn = arn:top' 'source_profile = r'
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile top
  ends 0 ok
  well_asked
  assert_eq "$(jq -r .form.RoleArn "$PLACES/tokens.ndjson")" arn:top
}

@test "credential_source: Environment, EcsContainer, Ec2InstanceMetadata" {
  store
  places "{\"give\": {\"sts\": $(given), \"container\": $(given 2), \"imds\": $(given 2)},
    \"keys\": {\"$TEST_KEY\": {\"secret\": \"$TEST_SECRET\"},
      \"AKIDGIVEN2\": {\"secret\": \"${TOKEN_SECRET}2\", \"token\": \"${TOKEN_TOKEN}2\"}}}"
  local source
  for source in Environment EcsContainer Ec2InstanceMetadata; do
    aws_file config <<END
[profile r]
role_arn = arn:aws:iam::123456789012:role/demo
credential_source = $source
END
    put AWS_ENDPOINT_URL_STS="$PLACES_URL" AWS_EC2_METADATA_DISABLED= \
      AWS_EC2_METADATA_SERVICE_ENDPOINT="$PLACES_URL" \
      AWS_CONTAINER_CREDENTIALS_FULL_URI="$PLACES_URL/container" k --profile r
    ends 0 ok
  done
  well_asked
  assert_eq "$(asked_of place)" 'sts container sts imds-session imds-role imds-keys sts'
  assert_eq "$(asked_of signed_by sts)" "$TEST_KEY AKIDGIVEN2 AKIDGIVEN2"
}

@test "STS of the region, its partition, FIPS and dual stack" {
  local region set want
  store
  role_profile
  while IFS='|' read -r region set want; do
    put "${NOBODY[@]}" ANK_RETRIES=0 HTTPS_PROXY=http://127.0.0.1:1 AWS_REGION="$region" ${set:+$set} k --profile r
    assert_eq "$(op_told token url)" "https://$want/"
  done <<'END'
eu-west-1||sts.eu-west-1.amazonaws.com
||sts.amazonaws.com
eusc-de-east-1||sts.eusc-de-east-1.amazonaws.eu
us-east-1|AWS_USE_FIPS_ENDPOINT=true|sts-fips.us-east-1.amazonaws.com
us-gov-west-1|AWS_USE_FIPS_ENDPOINT=true|sts.us-gov-west-1.amazonaws.com
us-east-1|AWS_USE_DUALSTACK_ENDPOINT=true|sts.us-east-1.api.aws
END
}

@test "mistakes of a role's profile are told, nothing is sent" {
  store
  places '{}'
  wrong_role() { # TEXT LINE...
    local text=$1
    shift
    printf '%s\n' '[profile r]' 'role_arn = arn:x' "$@" | aws_file config
    put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
    ends 4 credentials
    assert_contains "$(json result message)" "$text"
  }
  wrong_role 'needs either source_profile or credential_source'
  wrong_role 'needs either' 'source_profile = a' 'credential_source = Environment'
  wrong_role "source_profile 'a' has no credentials" 'source_profile = a'
  wrong_role 'leads too far, or back' 'source_profile = s' '[profile s]' 'role_arn = b' 'source_profile = r'
  wrong_role 'credential_source is Environment' 'credential_source = Magic'
  wrong_role 'has mfa_serial' 'source_profile = b' 'mfa_serial = arn:mfa' '[profile b]' "$KEYS_OF_TEST"
  assert_eq "$(asked_of place)" ''
  assert_eq "$(requests)" 0
}

@test "STS by http is for this machine only" {
  store
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS=http://sts.example.com k --profile r
  ends 4 credentials
  assert_contains "$(json result message)" 'credentials are fetched by https'
  assert_eq "$(requests)" 0
}

# --- the policy ---------------------------------------------------------------

@test "STS answers 503 twice: the same policy, within the deadline, in the report" {
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS, \"rules\": [{\"place\": \"sts\", \"nth\": \"1-2\", \"status\": 503}]}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
  ends 0 ok
  assert_eq "$(op_told token verdict)" 'transient transient ok'
  assert_json result retries 2
  set_places '{"rules": [{"place": "sts", "status": 503}]}'
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r --no-token-cache
  ends 10 unavailable
  assert_json result attempts 3
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r --no-token-cache --retries 0
  ends 10 unavailable
  assert_json result attempts 1
  set_places '{"rules": [{"place": "sts", "status": 503, "headers": {"Retry-After": "900"}}]}'
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r --no-token-cache
  ends 11 throttled
  assert_json result throttled_seconds 900
  assert_eq "$(requests)" 1
}

@test "a role that is refused ends at once, exit 4, with STS's words" {
  store
  places "{\"keys\": {\"AKIDX\": {\"secret\": \"x\"}}}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
  ends 4 credentials
  assert_json result attempts 1
  assert_contains "$(json result message)" "role arn:aws:iam::123456789012:role/demo of profile 'r'"
  assert_contains "$(json result message)" 'InvalidClientTokenId: unknown key'
  assert_eq "$(op_told token code)" InvalidClientTokenId
}

@test "a clock that is wrong is mended for STS and for the store alike" {
  store '{"date_offset": 7200}'
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS, \"date_offset\": 7200}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
  assert_eq "$(op_told token verdict)" 'reclock ok'
  assert_json result retries 0
}

@test "many parts wait for one request" {
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS, \"rules\": [{\"place\": \"sts\", \"delay_ms\": 100}]}"
  role_profile
  new_file 25000000 "$T/source" >/dev/null
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r \
    --multipart-threshold 0 --part-size 5M --parallel 5
  ends 0 ok
  assert_eq "$(asked_of place)" sts
  assert_eq "$(requests part)" 5
}

# scopes: what the file that runs share knows of each endpoint.
scopes() {
  jq -rs 'map(select(.scope) | .scope, .failures // 0 | tostring) | join(" ")' \
    "$T/home/.local/state/ank/state.ndjson"
}

@test "STS has a scope of its own: what fails there opens no breaker of the store" {
  NO_STATE=
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS, \"rules\": [{\"place\": \"sts\", \"status\": 503}]}"
  role_profile
  FAKE_DICE=min put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r --retries 4
  ends 10 unavailable
  assert_eq "$(scopes)" "$PLACES_URL/ 5"
  # It is open: nobody is asked, and the store's is not.
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
  ends 12 breaker_open
  assert_eq "$(asked_of place | wc -w)" 5
  put k
  ends 0 ok
}

@test "STS that is silent ends with the deadline" {
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS, \"rules\": [{\"place\": \"sts\", \"hang\": true}]}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" ANK_FAKE_HANG="$PLACES/hang" \
    k --profile r --deadline 7s
  ends 13 deadline
  assert_json result elapsed_ms 7000
  assert_eq "$(op_told token verdict) $(requests)" 'deadline 0'
}

@test "an open breaker of the store: STS is not asked" {
  NO_STATE=
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS}"
  role_profile
  run_ank ankbreaker-fake trip s3://bucket/k 60s
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r --no-token-cache
  ends 12 breaker_open
  assert_json result attempts 0
  assert_eq "$(asked_of place)" ''
}

@test "a dry run asks nobody" {
  store
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r --dry-run --explain
  ends 0 ok
  assert_contains "$(cat "$ERR")" 'identity: to be asked for'
  assert_eq "$(asked_of place)" ''
}

# --- other ways -----------------------------------------------------------------

@test "a web identity: unsigned, its token read anew; the order of sources" {
  store
  places "{\"give\": {\"web\": $(given)}, \"want\": {\"web\": \"jwt.one/+\"}}"
  echo jwt.one/+ >"$T/jwt"
  WEB=("${NOBODY[@]}" AWS_WEB_IDENTITY_TOKEN_FILE="$T/jwt" AWS_ROLE_ARN=arn:web
    AWS_ROLE_SESSION_NAME=me AWS_ENDPOINT_URL_STS="$PLACES_URL")
  put "${WEB[@]}" k
  ends 0 ok
  well_asked
  assert_eq "$(jq -c .form "$PLACES/tokens.ndjson")" '{"Version":"2011-06-15","Action":"AssumeRoleWithWebIdentity","RoleArn":"arn:web","RoleSessionName":"me","WebIdentityToken":"jwt.one/+"}'
  assert_eq "$(signed_by)" AKIDGIVEN
  # keys of the environment go before it
  put "${WEB[@]:2}" k
  ends 0 ok
  assert_eq "$(asked_of place)" web
  # and it goes before the default profile's keys
  printf '[default]\n%s\n' "$KEYS_OF_TEST" | aws_file credentials
  put "${WEB[@]}" k --no-token-cache
  ends 0 ok
  assert_eq "$(asked_of place)" 'web web'
  # and before the profile's own, which is named by no flag
  printf '[default]\nrole_arn = arn:own\nweb_identity_token_file = %s\n' "$T/jwt" | aws_file config
  put "${WEB[@]}" k --no-token-cache
  ends 0 ok
  assert_eq "$(jq -rs 'map(.form.RoleArn) | join(" ")' "$PLACES/tokens.ndjson")" 'arn:web arn:web arn:web'
  put "${WEB[@]}" k --no-token-cache --profile default
  ends 0 ok
  assert_eq "$(jq -rs 'last.form.RoleArn' "$PLACES/tokens.ndjson")" arn:own
  rm "$T/home/.aws/config"
  # a broken one does not hide them
  echo other >"$T/jwt"
  put "${WEB[@]}" k
  ends 0 ok
  assert_eq "$(signed_by | awk '{ print $NF }')" "$TEST_KEY"
}

sso() { # ACCESS-TOKEN EXPIRES: a login of session s
  aws_file config <<'END'
[sso-session s]
sso_start_url = https://example.awsapps.com/start
sso_region = eu-west-1
[profile p]
sso_session = s
sso_account_id = 123456789012
sso_role_name = Reader
[profile old]
sso_start_url = https://example.awsapps.com/start
sso_region = eu-west-1
sso_account_id = 123456789012
sso_role_name = Reader
END
  mkdir -p "$T/home/.aws/sso/cache"
  printf '{"accessToken": "%s", "expiresAt": "%s"}' "$1" "$2" \
    >"$T/home/.aws/sso/cache/$(printf %s "${3-s}" | sha1sum | cut -d' ' -f1).json"
}

@test "an SSO session gives the role's keys; one that has ended says how to log in" {
  store
  places "{\"give\": {\"sso\": $(given)}, \"want\": {\"sso\": \"sso-bearer-token-value\"}}"
  sso sso-bearer-token-value 2023-11-15T00:00:00Z
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_SSO="$PLACES_URL" k --profile p
  ends 0 ok
  well_asked
  assert_eq "$(jq -c .query "$PLACES/tokens.ndjson")" '{"role_name":"Reader","account_id":"123456789012"}'
  assert_eq "$(signed_by)" AKIDGIVEN
  sso sso-bearer-token-value 2023-11-14T00:00:00Z
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_SSO="$PLACES_URL" k --profile p
  ends 4 credentials
  assert_contains "$(json result message)" "has expired: run 'aws sso login --profile p'"
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_SSO="$PLACES_URL" k --profile old
  ends 4 credentials
  assert_contains "$(json result message)" "has not begun: run 'aws sso login --profile old'"
  sso sso-bearer-token-value 2023-11-15T00:00:00UTC https://example.awsapps.com/start
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_SSO="$PLACES_URL" k --profile old
  ends 0 ok
}

helper() { # LINE: profile h has it
  aws_file config <<END
[profile h]
credential_process = $1
END
}

GIVES="{\\\"Version\\\": 1, \\\"AccessKeyId\\\": \\\"AKIDGIVEN\\\", \\\"SecretAccessKey\\\": \\\"$TOKEN_SECRET\\\", \\\"SessionToken\\\": \\\"$TOKEN_TOKEN\\\"}"

@test "a helper: no shell, nothing to read, its words told, our environment as it is" {
  store
  cat >"$T/help me" <<END
#!/bin/sh
[ "\$1" = 'a b' ] && [ "\$2" = '\$HOME;x' ] && [ "\$3" = 'c"d' ] || exit 9
[ "\$(cat)" = '' ] || exit 8
env | grep -q ANK_ENDPOINT && ! env | grep -qi 'given' || exit 7
printf "$GIVES"
echo 'helper at work' >&2
END
  chmod +x "$T/help me"
  helper "'$T/help me' \"a b\" \$HOME;x 'c\"d'"
  put "${NOBODY[@]}" k --profile h <<<'not for the helper'
  ends 0 ok
  assert_eq "$(signed_by)" AKIDGIVEN
  assert_contains "$(cat "$ERR")" 'helper at work'
  refute_grep() { ! grep -q "$1" "$2"; }
  refute_grep 'helper at work' "$REPORT"
}

@test "a helper that fails, prints rubbish, too much, or something old is told of" {
  store
  bad_helper() { # TEXT LINE
    printf '#!/bin/sh\n%s\n' "$2" >"$T/h"
    chmod +x "$T/h"
    helper "$T/h"
    put "${NOBODY[@]}" k --profile h
    ends 4 credentials
    assert_contains "$(json result message)" "credential_process of profile 'h': "
    assert_contains "$(json result message)" "$1"
  }
  bad_helper 'ended with status 3' 'exit 3'
  bad_helper 'is no JSON object' 'echo nonsense'
  bad_helper 'is no JSON object' ':'
  bad_helper 'not of Version 1' 'echo "{\"Version\": 2}"'
  bad_helper 'lacks AccessKeyId' 'echo "{\"Version\": 1, \"AccessKeyId\": \"x\"}"'
  bad_helper 'lacks AccessKeyId' 'echo "{\"Version\": 1, \"AccessKeyId\": \"\", \"SecretAccessKey\": \"y\"}"'
  bad_helper 'has blanks' 'printf %s "{\"Version\": 1, \"AccessKeyId\": \"x\\ny\", \"SecretAccessKey\": \"y\"}"'
  bad_helper 'is no JSON object' 'echo "{\"Version\": 1, \"AccessKeyId\": \"x\", \"SecretAccessKey\": \"y\"} and more"'
  bad_helper 'more than 64 KiB' 'head -c 70000 /dev/zero'
  bad_helper 'has expired' 'echo "{\"Version\": 1, \"AccessKeyId\": \"x\", \"SecretAccessKey\": \"y\", \"Expiration\": \"2020-01-01T00:00:00Z\"}"'
  helper "$T/none there"
  put "${NOBODY[@]}" k --profile h
  ends 4 credentials
  assert_contains "$(json result message)" 'No such file'
  helper "'open"
  put "${NOBODY[@]}" k --profile h
  assert_contains "$(json result message)" 'a quote that is not closed'
  assert_eq "$(requests)" 0
}

# all_gone FILE: none of the processes in it is left, but perhaps as a name.
all_gone() {
  local pid i
  while read -r pid; do
    for ((i = 0; i < 300; i++)); do
      grep -qs '^State:[^Z]*[RSDT] ' "/proc/$pid/status" || continue 2
      sleep 0.01
    done
    echo "$pid is still there" >&2
    return 1
  done <"$1"
}

@test "a helper that hangs ends with the deadline, or after a minute, its group too" {
  store
  printf '#!/bin/sh\necho $$ >%s/pid\nsleep 1000 &\necho $! >>%s/pid\nwait\n' "$T" "$T" >"$T/h"
  chmod +x "$T/h"
  helper "$T/h"
  put "${NOBODY[@]}" k --profile h --deadline 1s
  ends 13 deadline
  all_gone "$T/pid"
  put "${NOBODY[@]}" k --profile h
  ends 4 credentials
  assert_contains "$(json result message)" 'took longer than 60 s'
  all_gone "$T/pid"
}

# --- metadata services --------------------------------------------------------

@test "a container's service: token file read anew, allowed hosts only" {
  store
  places "{\"give\": {\"container\": $(given)}, \"want\": {\"container\": \"Basic abc=\"}}"
  printf 'Basic abc=\n' >"$T/auth"
  C=("${NOBODY[@]}" AWS_CONTAINER_CREDENTIALS_FULL_URI="$PLACES_URL/container/x?a=b%20c"
    AWS_CONTAINER_AUTHORIZATION_TOKEN=beaten AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE="$T/auth")
  put "${C[@]}" k
  ends 0 ok
  well_asked
  assert_eq "$(signed_by)" AKIDGIVEN
  assert_eq "$(jq -c .query "$PLACES/tokens.ndjson")" '{"a":"b c"}'
  put "${NOBODY[@]}" AWS_CONTAINER_CREDENTIALS_FULL_URI=http://example.com/x k
  ends 4 credentials
  assert_contains "$(json result message)" 'not for example.com'
  printf 'a\nb' >"$T/auth"
  put "${C[@]}" k
  [ "$status" -eq 4 ] || [ "$status" -eq 2 ]
  assert_eq "$(asked_of place)" container
  # never kept
  printf 'Basic abc=' >"$T/auth"
  put "${C[@]}" k
  assert_eq "$(asked_of place)" 'container container'
}

@test "an instance: a session, the role's name, its keys, and no proxy" {
  store
  places "{\"give\": {\"imds\": $(given)}}"
  imds http_proxy="http://127.0.0.1:$(closed_port)" no_proxy="127.0.0.2" k --noproxy 127.0.0.1:"$CLOUD_PORT",nothing || true
  assert_eq "$(op_told token status)" '200 200 200'
  imds k
  ends 0 ok
  well_asked
  assert_eq "$(asked_of path)" "$(printf '/latest/api/token /latest/meta-data/iam/security-credentials/ /latest/meta-data/iam/security-credentials/the-role%.0s ' 1 2 | sed 's/ $//')"
  assert_eq "$(signed_by | awk '{ print $NF }')" AKIDGIVEN
}

@test "an instance without sessions: version 1, unless that is switched off" {
  store
  local how
  for how in '"status": 403' '"status": 404' '"status": 405' '"hang": true'; do
    places "{\"give\": {\"imds\": $(given)}, \"v1\": true, \"rules\": [{\"place\": \"imds-session\", $how}]}"
    ln -sfn "$PLACES/hang" "$CLOUD_DIR/hang"
    imds k
    ends 0 ok
    assert_eq "$(asked_of place)" 'imds-session imds-role imds-keys'
    imds AWS_EC2_METADATA_V1_DISABLED=true k
    ends 4 credentials
  done
  places '{"rules": [{"place": "imds-session", "status": 400}]}'
  imds k
  ends 4 credentials
  assert_eq "$(asked_of place)" imds-session
}

@test "an instance's service as the profile says it is" {
  store
  places "{\"give\": {\"imds\": $(given)}, \"v1\": true, \"rules\": [{\"place\": \"imds-session\", \"nth\": 2, \"status\": 403}]}"
  printf '[default]\nec2_metadata_service_endpoint = %s\nec2_metadata_v1_disabled = True\n' \
    "$PLACES_URL" | aws_file config
  put "${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= k
  ends 0 ok
  put "${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= k
  ends 4 credentials
  assert_eq "$(asked_of place)" 'imds-session imds-role imds-keys imds-session'
}

@test "an instance's service that fails: three tries of its own; a refusal in a 200" {
  store
  places '{"rules": [{"place": "imds-session", "status": 500}]}'
  imds k --retries 0
  ends 10 unavailable
  assert_eq "$(op_told token of)" '3 3 3'
  places '{"rules": [{"place": "imds-keys", "status": 200, "body": "{\"Code\": \"AssumeRoleUnauthorizedAccess\", \"Message\": \"EC2 cannot assume the role\"}"}]}'
  imds k
  ends 4 credentials
  assert_contains "$(json result message)" 'AssumeRoleUnauthorizedAccess: EC2 cannot assume the role'
}

@test "an instance's service is outside the breaker, and shares nothing" {
  local n
  NO_STATE=
  store
  places '{"rules": [{"place": "imds-session", "status": 500}]}'
  for n in 1 2 3; do
    imds k
    ends 10 unavailable
  done
  assert_eq "$(asked_of place | wc -w)" 9
  assert_eq "$(op_told token breaker)" '- - -'
  [ ! -s "$T/home/.local/state/ank/state.ndjson" ] || assert_eq "$(scopes)" ''
}

@test "nobody answers: one try each, about a second, the places told (cases 23, 68)" {
  STORE_SETTINGS='"blackhole": true' store
  run_ank "${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= http_proxy="$CLOUD_URL" \
    AWS_EC2_METADATA_SERVICE_ENDPOINT="$BLACKHOLE_URL" ankget s3://bucket/k "$T/got"
  ends 4 credentials
  assert_between "$(json result elapsed_ms)" 900 2500
  assert_json result attempts 1
  local message
  message=$(json result message)
  assert_contains "$message" 'looked at AWS_ACCESS_KEY_ID, profile'
  assert_contains "$message" "$T/home/.aws/credentials"
  assert_contains "$message" 'the instance metadata service'
  assert_eq "$(requests)" 0
  # another source works: nobody is asked
  run_ank AWS_EC2_METADATA_DISABLED= AWS_EC2_METADATA_SERVICE_ENDPOINT="$BLACKHOLE_URL" \
    ankget s3://bucket/none "$T/got"
  ends 6 not_found
  assert_between "$(json result elapsed_ms)" 0 800
  # and the deadline holds for it
  run_ank "${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= \
    AWS_EC2_METADATA_SERVICE_ENDPOINT="$BLACKHOLE_URL" ankget --deadline 300ms s3://bucket/k "$T/got"
  ends 13 deadline
  assert_between "$(json result elapsed_ms)" 250 900
}

@test "a metadata address by http is this machine or its link" {
  store
  put "${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= AWS_EC2_METADATA_SERVICE_ENDPOINT=http://example.com k
  ends 4 credentials
  assert_contains "$(json result message)" 'not for example.com'
}

# --- their end ------------------------------------------------------------------

@test "credentials are replaced ten minutes before they end, in the middle of an upload" {
  store '{"op": "part", "nth": 1, "status": 503, "headers": {"Retry-After": "290"}}'
  places "{\"give\": {\"imds\": [$(given '' 900), $(given 2)]}}"
  new_file 11000000 "$T/source" >/dev/null
  imds k --multipart-threshold 0 --part-size 5M --parallel 1
  ends 0 ok
  assert_eq "$(asked_of place)" 'imds-session imds-role imds-keys'
  FAKE_DICE=max store '{"op": "part", "nth": "1-2", "status": 503, "headers": {"Retry-After": "240"}}'
  places "{\"give\": {\"imds\": [$(given '' 900), $(given 2)]}}"
  imds k --multipart-threshold 0 --part-size 5M --parallel 1
  ends 0 ok
  assert_eq "$(asked_of place)" 'imds-session imds-role imds-keys imds-session imds-role imds-keys'
  assert_eq "$(signed_by | tr ' ' '\n' | uniq -c | awk '{ print $1, $2 }' | paste -sd' ')" '3 AKIDGIVEN 4 AKIDGIVEN2'
  assert_eq "$(requests create)" 1
}

@test "when they cannot be replaced those that are there are used on" {
  FAKE_DICE=max store '{"op": "part", "nth": "1-2", "status": 503, "headers": {"Retry-After": "240"}}'
  places "{\"give\": {\"imds\": $(given '' 900)}, \"rules\": [{\"place\": \"imds-session\", \"nth\": \"2-99\", \"status\": 500}]}"
  new_file 11000000 "$T/source" >/dev/null
  imds k --multipart-threshold 0 --part-size 5M --parallel 1
  ends 0 ok
  assert_eq "$(op_told token status)" '200 200 200 500 500 500'
}

@test "refused in the middle: asked for again once, the same upload goes on (case 67)" {
  store '{"op": "part", "nth": "2-3", "s3_error": "ExpiredToken"}'
  places "{\"give\": {\"sts\": [$(given), $(given 2)]}, $STS_KEYS}"
  role_profile
  new_file 16000000 "$T/source" >/dev/null
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r \
    --multipart-threshold 0 --part-size 5M --parallel 4
  ends 0 ok
  assert_eq "$(asked_of place)" 'sts sts'
  assert_eq "$(requests create)" 1
  assert_json result retries 0
  well_asked
}

@test "refused, and the same are given again: permanent at once" {
  store '{"s3_error": "ExpiredToken"}'
  places "{\"give\": {\"imds\": $(given)}}"
  imds k --retries 5
  ends 4 credentials
  assert_eq "$(requests)" 1
  assert_eq "$(slept)" 0
  assert_contains "$(json result message)" ExpiredToken
  assert_contains "$(json result message)" 'those in use are from the instance metadata service'
}

@test "refused, and STS is down: ends as that" {
  store '{"s3_error": "ExpiredToken"}'
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS, \"rules\": [{\"place\": \"sts\", \"nth\": \"2-99\", \"status\": 503}]}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" k --profile r
  ends 10 unavailable
  assert_eq "$(requests)" 1
}

@test "our clock is two hours ahead: what was given is not taken for ended" {
  store
  places "{\"give\": {\"imds\": $(given)}, \"date_offset\": -7200}"
  imds k
  ends 0 ok
  assert_eq "$(asked_of place)" 'imds-session imds-role imds-keys'
}

# --- kept for later runs ----------------------------------------------------------

@test "what STS gave is kept, 0600, under a name that tells nothing, until it ends" {
  store
  places "{\"give\": {\"sts\": [$(given), $(given 2)]}, $STS_KEYS}"
  role_profile
  R=("${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" XDG_RUNTIME_DIR="$T/run")
  mkdir -m 700 "$T/run"
  put "${R[@]}" k --profile r
  ends 0 ok
  put "${R[@]}" k --profile r --explain
  ends 0 ok
  assert_eq "$(asked_of place)" sts
  assert_contains "$(cat "$ERR")" "identity: AKIDGIVEN, from role arn:aws:iam::123456789012:role/demo of profile 'r' (kept)"
  assert_eq "$(stat -c %a "$T/run/ank/tokens" "$T"/run/ank/tokens/* | paste -sd' ')" '700 600'
  [[ $(basename "$T"/run/ank/tokens/*) =~ ^[0-9a-f]{64}$ ]]
  # not when told so, not another's role, not when they are about to end
  put "${R[@]}" k --profile r --no-token-cache
  assert_eq "$(asked_of place)" 'sts sts'
  role_profile 'external_id = other'
  put "${R[@]}" k --profile r
  assert_eq "$(asked_of place)" 'sts sts sts'
  role_profile
  set_places "{\"date_offset\": 3100, \"give\": {\"sts\": $(given)}, $STS_KEYS}"
  FAKE_NOW=$((FAKE_NOW + 3100000)) put "${R[@]}" k --profile r
  assert_eq "$(asked_of place)" 'sts sts sts sts'
  # a folder that others may read is not used
  set_places "{\"give\": {\"sts\": $(given)}, $STS_KEYS}"
  chmod 755 "$T/run/ank/tokens"
  put "${R[@]}" k --profile r
  assert_eq "$(asked_of place)" 'sts sts sts sts sts'
}

@test "what was kept and is refused is asked for again" {
  store '{"nth": 2, "s3_error": "ExpiredToken"}'
  places "{\"give\": {\"sts\": [$(given), $(given 2)]}, $STS_KEYS}"
  role_profile
  R=("${NOBODY[@]}" AWS_ENDPOINT_URL_STS="$PLACES_URL" XDG_RUNTIME_DIR="$T/run")
  mkdir -m 700 "$T/run"
  put "${R[@]}" k --profile r
  put "${R[@]}" k --profile r
  ends 0 ok
  assert_eq "$(signed_by)" 'AKIDGIVEN AKIDGIVEN AKIDGIVEN2'
  put "${R[@]}" k --profile r
  assert_eq "$(signed_by)" 'AKIDGIVEN AKIDGIVEN AKIDGIVEN2 AKIDGIVEN2'
}

# --- secrets ------------------------------------------------------------------------

@test "no secret leaves by any way: report, log, errors, names (case 71)" {
  store
  SECRETS=(sso-bearer-token-value jwt.one/secret)
  places "{\"give\": {\"imds\": $(given), \"sso\": $(given), \"web\": $(given), \"sts\": $(given)}, $STS_KEYS, \"want\": {\"sso\": \"sso-bearer-token-value\", \"web\": \"jwt.one/secret\"}}"
  sso sso-bearer-token-value 2023-11-15T00:00:00Z
  echo jwt.one/secret >"$T/jwt"
  mkdir -m 700 "$T/run"
  local all=() n=0
  said() { # ARG...
    run_key ankput-fake "$@" -v --explain
    n=$((n + 1))
    cp "$OUT" "$T/said-$n.out"
    cp "$ERR" "$T/said-$n.err"
    all+=("$T/said-$n.out" "$T/said-$n.err")
  }
  I=("${NOBODY[@]}" AWS_EC2_METADATA_DISABLED= AWS_EC2_METADATA_SERVICE_ENDPOINT="$PLACES_URL")
  W=("${NOBODY[@]}" AWS_WEB_IDENTITY_TOKEN_FILE="$T/jwt" AWS_ROLE_ARN=arn:web AWS_ENDPOINT_URL_STS="$PLACES_URL")
  S=("${NOBODY[@]}" AWS_ENDPOINT_URL_SSO="$PLACES_URL" XDG_RUNTIME_DIR="$T/run")
  said "${I[@]}" k
  said "${W[@]}" k
  said "${S[@]}" k --profile p
  set_places "{\"want\": {\"sso\": \"x\", \"web\": \"x\"}, \"rules\": [
    {\"place\": \"web\", \"status\": 400, \"body\": \"<ErrorResponse><Error><Code>X</Code><Message>no jwt.one/secret here</Message></Error></ErrorResponse>\"},
    {\"place\": \"sso\", \"status\": 400, \"body\": \"{\\\"message\\\": \\\"sso-bearer-token-value\\\"}\"},
    {\"place\": \"imds-keys\", \"status\": 500, \"body\": \"$TOKEN_TOKEN\"}]}"
  said "${I[@]}" k --no-token-cache
  said "${W[@]}" k --no-token-cache
  said "${S[@]}" k --profile p --no-token-cache
  no_secret "${all[@]}"
  find "$T/run" -type f | no_secret /dev/stdin
}

# --- TLS ----------------------------------------------------------------------------

@test "one CA for every connection: STS's certificate is checked, too (case 72)" {
  make_certificates
  store
  PLACES_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
  places "{\"give\": {\"sts\": $(given)}, $STS_KEYS}"
  role_profile
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="${PLACES_URL/http:/https:}" k --profile r
  ends 15 tls
  assert_json result attempts 1
  put "${NOBODY[@]}" AWS_ENDPOINT_URL_STS="${PLACES_URL/http:/https:}" k --profile r --cacert "$T/ca.pem"
  ends 0 ok
}
