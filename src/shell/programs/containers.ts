/** Containers, clusters and clouds. */

import { names, type ProgramRow, type ProgramRows } from '../program-row.ts';
import { forges } from './forges.ts';

const runOptions = `-a,--attach=text --add-host=text --annotation=text --blkio-weight=text --cap-add=text! --cap-drop=text
  --cgroup-parent=text! --cgroupns=text! --cidfile=out --cpu-period=text --cpu-quota=text -c,--cpu-shares=text
  --cpus=text --cpuset-cpus=text --cpuset-mems=text -d,--detach! --detach-keys=text --device=text!
  --device-cgroup-rule=text! --disable-content-trust --dns=text --dns-option=text --dns-search=text --domainname=text
  --entrypoint=program -e,--env=text! --env-file=in! --expose=text --gpus=text --group-add=text! --health-cmd=code
  --health-interval=text --health-retries=text --health-timeout=text --health-start-period=text --no-healthcheck
  -h,--hostname=text --init -i,--interactive --ip=text --ipc=text! --isolation=text -l,--label=text --label-file=in
  --link=text --log-driver=text --log-opt=text --mac-address=text -m,--memory=text --memory-reservation=text
  --memory-swap=text --mount=harmful --name=text --network,--net=text! --network-alias=text --oom-kill-disable
  --oom-score-adj=text --pid=text! --pids-limit=text --platform=text --privileged! -p,--publish=text!
  -P,--publish-all! --pull=text -q,--quiet --read-only --restart=text! --rm --runtime=text! --security-opt=text!
  --shm-size=text --sig-proxy[=text] --stop-signal=text --stop-timeout=text --storage-opt=text! --sysctl=text!
  --tmpfs=text -t,--tty --ulimit=text -u,--user=text! --userns=text! --uts=text! -v,--volume=harmful
  --volume-driver=text! --volumes-from=text! -w,--workdir=text`;
const execOptions = `-d,--detach! --detach-keys=text -e,--env=text! --env-file=in! -i,--interactive --privileged! -t,--tty -T,--no-TTY
  -u,--user=text! -w,--workdir=text --index=text`;
const run: ProgramRow = `${runOptions} -- <text!> <program> stdin=code opaque elsewhere`;
const exec: ProgramRow = `${execOptions} -- <text!> <program> opaque elsewhere`;
const listing = `-a,--all -f,--filter=text --format=text -n,--last=text -l,--latest --no-trunc -q,--quiet -s,--size --digests --tree
  <text>...`;
const compose: ProgramRow = {
  usage: `--all-resources --ansi=text --compatibility --dry-run --env-file=in! -f,--file=script --parallel=text
    --profile=text --progress=text --project-directory=folder -p,--project-name=text opaque`,
  commands: {
    run: `${runOptions} --build! --no-deps --use-aliases --service-ports -T,--no-TTY --remove-orphans! -- <text!>
      <program> opaque elsewhere`,
    exec,
    // It prints what `.env` and other files of variables hold.
    config: 'opaque <text!>... .=reads elsewhere',
    'ps, ls, images, logs, top, port, version': `${listing} --services --volumes --tail=text --since=text --until=text -t,--timestamps --follow --no-color
      --no-log-prefix`,
    '*': 'opaque <text!>... elsewhere',
  },
};
const docker: ProgramRow = {
  usage: `--config=script -c,--context=text! -D,--debug -H,--host=text! -l,--log-level=text --tls --tlscacert=in
    --tlscert=in --tlskey=in --tlsverify --root=writes --url=text! --remote! --connection=text! -v opaque`,
  commands: {
    run,
    create: run,
    exec,
    compose,
    'container=': {
      commands: {
        run,
        create: run,
        exec,
        'ps, ls=ps, list=ps': listing,
        'logs, top, port, diff, stats, inspect': `${listing} --tail=text --since=text --until=text -t --follow --no-stream`,
        '*': 'opaque <text!>... elsewhere',
      },
    },
    'ps, images, version, info, search, history': listing,
    'logs, top, port, diff, stats, inspect': `${listing} --tail=text --since=text --until=text -t,--timestamps --follow --details --no-stream --type=text`,
    image: { commands: { 'ls, list=ls, history, inspect': listing, '*': 'opaque <text!>... elsewhere' } },
    '*': 'opaque <harmful>... elsewhere',
  },
};
const kubectl: ProgramRow = {
  usage: `-n,--namespace=text --context=text! --cluster=text! --kubeconfig=script --user=text! --as=text! --as-group=text!
    -s,--server=text! --token=text! --request-timeout=text -v=text --insecure-skip-tls-verify!
    --certificate-authority=in --client-certificate=in --client-key=in --cache-dir=writes --profile=text!:.=writes
    --profile-output=out opaque`,
  inherits: true,
  commands: {
    exec: `-c,--container=text -f,--filename=in -i,--stdin -t,--tty -q,--quiet --pod-running-timeout=text <text!> <program>
      opaque elsewhere`,
    debug: 'opaque <text!> <program> elsewhere',
    run: 'opaque <text!> <program> elsewhere',
    'get, describe, top, explain, api-resources, api-versions, cluster-info, version, events': {
      usage: `-A,--all-namespaces -o,--output=text -l,--selector=text -w,--watch --show-labels --sort-by=text
      --field-selector=text -f,--filename=reads -k,--kustomize=reads!:opaque -R,--recursive -L,--label-columns=text
      --chunk-size=text --ignore-not-found --api-version=text --client --no-headers --subresource=text --containers
      <text>...`,
      keys: {
        '--output': {
          'json yaml wide name kyaml jsonpath jsonpath-as-json go-template template custom-columns': 'text',
          'go-template-file templatefile jsonpath-file custom-columns-file': 'in',
        },
      },
    },
    logs: `-f,--follow -c,--container=text --tail=text --since=text --since-time=text --timestamps -p,--previous
      -l,--selector=text --all-containers --prefix --limit-bytes=text --max-log-requests=text <text>...`,
    '*': 'opaque <harmful>... elsewhere',
  },
};
const remote = 'opaque <harmful>... elsewhere';

export const containers: ProgramRows = {
  ...forges,
  'docker, podman, nerdctl, finch': docker,
  'docker-compose, podman-compose': compose,
  'kubectl, oc, microk8s.kubectl': kubectl,
  [names(`helm, kustomize, k9s, minikube, kind, k3s, k3d, kubeadm, istioctl, argocd, flux, crictl, ctr, runc, crun, buildah,
    skopeo, lxc, lxc-attach, lxc-execute, incus, vagrant, multipass, limactl, colima, qemu-system-x86_64, virsh,
    packer`)]: remote,
  [names(`terraform, tofu, terragrunt, pulumi, cdk, sam, serverless, sls, ansible, ansible-playbook, ansible-galaxy,
    ansible-vault, puppet, chef-client, knife, salt, salt-call, nomad, consul, vault, boundary, aws, gcloud, gsutil,
    bq, az, doctl, flyctl, fly, heroku, vercel, netlify, wrangler, firebase, supabase, railway, render, linode-cli,
    hcloud, oci, ibmcloud, cf, eb, ecs-cli, copilot, amplify, stripe, twilio, sentry-cli, datadog-ci, circleci,
    travis, tea`)]: remote,
};
