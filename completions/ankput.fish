# SPDX-License-Identifier: MIT
# Completes ankput in fish. Made from the option list: ankput --completion fish

function __ankput_profiles
    set -l config $HOME/.aws/config
    set -l keys $HOME/.aws/credentials
    test -n "$AWS_CONFIG_FILE"
    and set config (string replace -r '^~/' $HOME/ -- $AWS_CONFIG_FILE)
    test -n "$AWS_SHARED_CREDENTIALS_FILE"
    and set keys (string replace -r '^~/' $HOME/ -- $AWS_SHARED_CREDENTIALS_FILE)
    begin
        sed -n 's/^\[ *profile \([^]]*[^] ]\) *\].*/\1/p; s/^\[ *\(default\) *\].*/\1/p' $config
        sed -n 's/^\[ *\([^]]*[^] ]\) *\].*/\1/p' $keys
    end 2>/dev/null | sort -u
end

function __ankput_header
    set -l word (string replace -r '^(-H|--header=)' '' -- (commandline -ct))
    string match -q -- '@*' $word
    and string replace -r '^' @ -- (__fish_complete_path (string sub -s 2 -- $word))
end

# A URL is no file.
complete -c ankput -f -n 'string match -q "s3:*" -- (commandline -ct)'
complete -c ankput -l policy -x -a 'ank anole restic prismatic' -d 'ank, anole, restic or prismatic; other options override it'
complete -c ankput -l retries -x -d 'extra attempts per request; 0 is a single attempt'
complete -c ankput -l deadline -x -d 'be done by then, whatever happens'
complete -c ankput -l timeout-ms -x -d 'limit of one small request; 0 is none'
complete -c ankput -l upload-timeout-ms -x -d 'limit of one attempt that moves an object; 0 is none'
complete -c ankput -l connect-timeout-ms -x -d 'limit of connecting, TLS included; 0 is none'
complete -c ankput -l stall-timeout -x -d 'give up on an attempt that moves less than 1 KiB in that time'
complete -c ankput -l max-retry-after -x -d 'longest Retry-After that is waited for'
complete -c ankput -l backoff -x -d 'waits before retries: full:200ms,1s,5s or exp:100ms,x2,max=2s'
complete -c ankput -l retry-on -x -d 'retry these statuses too: 404,5xx,transport'
complete -c ankput -l no-retry-on -x -d 'do not retry these statuses'
complete -c ankput -l retry-budget -x -d 'retry only while more than half of N tokens are left'
complete -c ankput -l breaker -x -d 'when it opens and for how long, like failures=5,open=5s,max=60s'
complete -c ankput -l no-breaker -d 'neither ask the breaker nor tell it'
complete -c ankput -l breaker-wait -x -d 'wait so long for an open breaker before giving up'
complete -c ankput -l no-share-throttle -d 'neither keep nor tell a Retry-After that other runs met'
complete -c ankput -l state-file -r -F -d 'where runs keep what they share'
complete -c ankput -l no-state -d 'share nothing with other runs'
complete -c ankput -l endpoint -x -d 'the service to talk to, if not the cloud\'s own'
complete -c ankput -l region -x -d 'region to sign for'
complete -c ankput -l profile -x -a '(__ankput_profiles)' -d 'profile of ~/.aws or ~/.oci/config to use'
complete -c ankput -l provider -x -a 's3 gcs azure oci alibaba backblaze ceph digitalocean fastly hetzner minio r2 scaleway storj swift tencent wasabi' -d 'whose https:// URL it is, or which store it is that speaks S3'
complete -c ankput -l no-token-cache -d 'neither use nor keep credentials that other runs asked for'
complete -c ankput -l addressing -x -a 'path virtual' -d 'put the bucket into the path or into the host name'
complete -c ankput -l no-sign -d 'send requests without a signature'
complete -c ankput -s H -l header -x -a '(__ankput_header)' -d 'add a request header, or those in FILE'
complete -c ankput -l content-type -x -d 'Content-Type of the object'
complete -c ankput -l metadata -x -d 'store this metadata with the object'
complete -c ankput -l storage-class -x -d 'storage class of the object'
complete -c ankput -l sse -x -a 'AES256 aws:kms aws:kms:dsse' -d 'encryption at rest: AES256, aws:kms, aws:kms:dsse, aws:kms=KEY'
complete -c ankput -l no-clobber -d 'overwrite nothing; that the same object is there is a success'
complete -c ankput -l if-match -x -d 'only if the object there has this ETag'
complete -c ankput -l if-none-match -x -d 'only if the object there does not have this ETag (* = any)'
complete -c ankput -l abort-upload -x -d 'drop the parts of an unfinished upload to the URL'
complete -c ankput -l checksum -x -a 'crc64nvme crc32c sha256' -d 'have the object\'s bytes checked by crc64nvme, crc32c or sha256'
complete -c ankput -s P -l parallel -x -d 'parts or ranges on their way at once, 1 to 64'
complete -c ankput -l part-size -x -d 'size of parts or ranges, larger where there would be too many'
complete -c ankput -l buffer-limit -x -d 'most memory for the parts or ranges of a stream'
complete -c ankput -l multipart-threshold -x -d 'larger objects travel in parts, or come in ranges'
complete -c ankput -l expected-size -x -d 'store nothing that has another size'
complete -c ankput -l expect-sha256 -x -d 'store nothing that has another SHA-256'
complete -c ankput -l limit-rate -x -d 'bytes a second at most, either way: 500K, 10M'
complete -c ankput -s C -l continue -d 'go on where an earlier run stopped, and keep what this one moves'
complete -c ankput -s x -l proxy -x -d 'go through this proxy; an empty one is none'
complete -c ankput -l noproxy -x -d 'hosts that are reached without the proxy'
complete -c ankput -l cacert -r -F -d 'trust the certificates in FILE, and no others'
complete -c ankput -s E -l cert -r -F -d 'show this client certificate (PEM)'
complete -c ankput -l key -r -F -d 'private key of --cert (PEM)'
complete -c ankput -s k -l insecure -d 'do not check the server\'s certificate'
complete -c ankput -s 4 -l ipv4 -d 'use IPv4 only'
complete -c ankput -s 6 -l ipv6 -d 'use IPv6 only'
complete -c ankput -l resolve -x -d 'use ADDR for HOST:PORT instead of asking DNS'
complete -c ankput -l interface -x -d 'send from this interface, address or host'
complete -c ankput -l http2 -d 'offer HTTP/2 to https servers'
complete -c ankput -l report -r -F -a 'none' -d 'where the JSON lines go'
complete -c ankput -l json -d 'write JSON, an object a line'
complete -c ankput -l text -d 'write the report in words, a line for each JSON line'
complete -c ankput -s v -l verbose -d 'headers and connections on standard error'
complete -c ankput -l explain -d 'what is signed, as whom and by which policy, on standard error'
complete -c ankput -s s -l silent -d 'no warnings on standard error'
complete -c ankput -l progress -d 'draw a progress line, also when the report is on the terminal\'s stream'
complete -c ankput -l no-progress -d 'draw no progress line'
complete -c ankput -l dry-run -d 'check everything, sign, and send nothing'
complete -c ankput -s K -l config -r -F -d 'take what is not given from FILE'
complete -c ankput -l show-config -d 'show what is in force and where it was said'
complete -c ankput -s h -l help -a 'retry breaker where object moving\ bytes network telling rest all' -d 'show the options, or those of one group'
complete -c ankput -s V -l version -d 'show the version'
complete -c ankput -l completion -x -a 'bash zsh fish' -d 'print the completion script for bash, zsh or fish'
complete -c ankput -f -n '__fish_prev_arg_in -h --help' -a 'retry breaker where object moving\ bytes network telling rest all'
