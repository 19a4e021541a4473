# SPDX-License-Identifier: MIT
# Completes ankget in fish. Made from the option list: ankget --completion fish

function __ankget_profiles
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

function __ankget_header
    set -l word (string replace -r '^(-H|--header=)' '' -- (commandline -ct))
    string match -q -- '@*' $word
    and string replace -r '^' @ -- (__fish_complete_path (string sub -s 2 -- $word))
end

# A URL is no file.
complete -c ankget -f -n 'string match -q "s3:*" -- (commandline -ct)'
complete -c ankget -l policy -x -a 'ank anole restic prismatic' -d 'ank, anole, restic or prismatic; other options override it'
complete -c ankget -l retries -x -d 'extra attempts per request; 0 is a single attempt'
complete -c ankget -l deadline -x -d 'be done by then, whatever happens'
complete -c ankget -l timeout-ms -x -d 'limit of one small request; 0 is none'
complete -c ankget -l upload-timeout-ms -x -d 'limit of one attempt that moves an object; 0 is none'
complete -c ankget -l connect-timeout-ms -x -d 'limit of connecting, TLS included; 0 is none'
complete -c ankget -l stall-timeout -x -d 'give up on an attempt that moves less than 1 KiB in that time'
complete -c ankget -l max-retry-after -x -d 'longest Retry-After that is waited for'
complete -c ankget -l backoff -x -d 'waits before retries: full:200ms,1s,5s or exp:100ms,x2,max=2s'
complete -c ankget -l retry-on -x -d 'retry these statuses too: 404,5xx,transport'
complete -c ankget -l no-retry-on -x -d 'do not retry these statuses'
complete -c ankget -l retry-budget -x -d 'retry only while more than half of N tokens are left'
complete -c ankget -l breaker -x -d 'when it opens and for how long, like failures=5,open=5s,max=60s'
complete -c ankget -l no-breaker -d 'neither ask the breaker nor tell it'
complete -c ankget -l breaker-wait -x -d 'wait so long for an open breaker before giving up'
complete -c ankget -l no-share-throttle -d 'neither keep nor tell a Retry-After that other runs met'
complete -c ankget -l state-file -r -F -d 'where runs keep what they share'
complete -c ankget -l no-state -d 'share nothing with other runs'
complete -c ankget -l endpoint -x -d 'the service to talk to, if not the cloud\'s own'
complete -c ankget -l region -x -d 'region to sign for'
complete -c ankget -l profile -x -a '(__ankget_profiles)' -d 'profile of ~/.aws or ~/.oci/config to use'
complete -c ankget -l provider -x -a 's3 gcs azure oci alibaba backblaze ceph digitalocean fastly hetzner minio r2 scaleway storj swift tencent wasabi' -d 'whose https:// URL it is, or which store it is that speaks S3'
complete -c ankget -l no-token-cache -d 'neither use nor keep credentials that other runs asked for'
complete -c ankget -l addressing -x -a 'path virtual' -d 'put the bucket into the path or into the host name'
complete -c ankget -l no-sign -d 'send requests without a signature'
complete -c ankget -s H -l header -x -a '(__ankget_header)' -d 'add a request header, or those in FILE'
complete -c ankget -l if-match -x -d 'only if the object there has this ETag'
complete -c ankget -l if-none-match -x -d 'only if the object there does not have this ETag (* = any)'
complete -c ankget -l checksum -x -a 'crc64nvme crc32c sha256' -d 'have the object\'s bytes checked by crc64nvme, crc32c or sha256'
complete -c ankget -l range -x -d 'only these bytes: A-B, A-, -N'
complete -c ankget -l version-id -x -d 'this version of the object'
complete -c ankget -s I -l head -d 'only the object\'s facts, in the result line'
complete -c ankget -s P -l parallel -x -d 'parts or ranges on their way at once, 1 to 64'
complete -c ankget -l part-size -x -d 'size of parts or ranges, larger where there would be too many'
complete -c ankget -l buffer-limit -x -d 'most memory for the parts or ranges of a stream'
complete -c ankget -l multipart-threshold -x -d 'larger objects travel in parts, or come in ranges'
complete -c ankget -l limit-rate -x -d 'bytes a second at most, either way: 500K, 10M'
complete -c ankget -s C -l continue -d 'go on where an earlier run stopped, and keep what this one moves'
complete -c ankget -s o -l output -r -F -d 'write to FILE; - is standard output'
complete -c ankget -s O -l remote-name -d 'write to a file named as the key\'s last part'
complete -c ankget -l create-dirs -d 'make missing directories of the output file'
complete -c ankget -s x -l proxy -x -d 'go through this proxy; an empty one is none'
complete -c ankget -l noproxy -x -d 'hosts that are reached without the proxy'
complete -c ankget -l cacert -r -F -d 'trust the certificates in FILE, and no others'
complete -c ankget -s E -l cert -r -F -d 'show this client certificate (PEM)'
complete -c ankget -l key -r -F -d 'private key of --cert (PEM)'
complete -c ankget -s k -l insecure -d 'do not check the server\'s certificate'
complete -c ankget -s 4 -l ipv4 -d 'use IPv4 only'
complete -c ankget -s 6 -l ipv6 -d 'use IPv6 only'
complete -c ankget -l resolve -x -d 'use ADDR for HOST:PORT instead of asking DNS'
complete -c ankget -l interface -x -d 'send from this interface, address or host'
complete -c ankget -l http2 -d 'offer HTTP/2 to https servers'
complete -c ankget -l report -r -F -a 'none' -d 'where the JSON lines go'
complete -c ankget -l json -d 'write JSON, an object a line'
complete -c ankget -l text -d 'write the report in words, a line for each JSON line'
complete -c ankget -s v -l verbose -d 'headers and connections on standard error'
complete -c ankget -l explain -d 'what is signed, as whom and by which policy, on standard error'
complete -c ankget -s s -l silent -d 'no warnings on standard error'
complete -c ankget -l progress -d 'draw a progress line, also when the report is on the terminal\'s stream'
complete -c ankget -l no-progress -d 'draw no progress line'
complete -c ankget -l dry-run -d 'check everything, sign, and send nothing'
complete -c ankget -s K -l config -r -F -d 'take what is not given from FILE'
complete -c ankget -l show-config -d 'show what is in force and where it was said'
complete -c ankget -s h -l help -a 'retry breaker where object moving\ bytes network telling rest all' -d 'show the options, or those of one group'
complete -c ankget -s V -l version -d 'show the version'
complete -c ankget -l completion -x -a 'bash zsh fish' -d 'print the completion script for bash, zsh or fish'
complete -c ankget -f -n '__fish_prev_arg_in -h --help' -a 'retry breaker where object moving\ bytes network telling rest all'
