# SPDX-License-Identifier: MIT
# Completes ankbreaker in fish. Made from the option list: ankbreaker --completion fish

function __ankbreaker_profiles
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

complete -c ankbreaker -f
complete -c ankbreaker -l state-file -r -F -d 'where runs keep what they share'
complete -c ankbreaker -l endpoint -x -d 'the service to talk to, if not the cloud\'s own'
complete -c ankbreaker -l region -x -d 'region to sign for'
complete -c ankbreaker -l profile -x -a '(__ankbreaker_profiles)' -d 'profile of ~/.aws or ~/.oci/config to use'
complete -c ankbreaker -l provider -x -a 's3 gcs azure oci alibaba backblaze ceph digitalocean fastly hetzner minio r2 scaleway storj swift tencent wasabi' -d 'whose https:// URL it is, or which store it is that speaks S3'
complete -c ankbreaker -l addressing -x -a 'path virtual' -d 'put the bucket into the path or into the host name'
complete -c ankbreaker -l json -d 'write JSON, an object a line'
complete -c ankbreaker -s K -l config -r -F -d 'take what is not given from FILE'
complete -c ankbreaker -l show-config -d 'show what is in force and where it was said'
complete -c ankbreaker -s h -l help -a 'breaker where telling rest all' -d 'show the options, or those of one group'
complete -c ankbreaker -s V -l version -d 'show the version'
complete -c ankbreaker -l completion -x -a 'bash zsh fish' -d 'print the completion script for bash, zsh or fish'
complete -c ankbreaker -f -n '__fish_prev_arg_in -h --help' -a 'breaker where telling rest all'
complete -c ankbreaker -n 'not __fish_seen_subcommand_from list show reset trip metrics' -a list -d 'what is known of every bucket'
complete -c ankbreaker -n 'not __fish_seen_subcommand_from list show reset trip metrics' -a show -d 'what is known of one bucket'
complete -c ankbreaker -n 'not __fish_seen_subcommand_from list show reset trip metrics' -a reset -d 'close one breaker, or all'
complete -c ankbreaker -n 'not __fish_seen_subcommand_from list show reset trip metrics' -a trip -d 'open one breaker for some time'
complete -c ankbreaker -n 'not __fish_seen_subcommand_from list show reset trip metrics' -a metrics -d 'all numbers, as Prometheus reads them'
