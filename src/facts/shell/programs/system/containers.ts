/** Containers, clusters and clouds. */

import { joinNames, type ProgramRow, type ProgramRows } from '../../usage/program-row.ts';
import { forgePrograms } from '../git/forges.ts';

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
/** What a build sends to the daemon: the folder, and files that options name. */
const imageBuild = `--add-host=text --allow=text! --annotation=text --attest=text --build-arg=text --build-context=harmful --builder=text
  --cache-from=harmful --cache-to=harmful --call=text --check -D,--debug -f,--file=script --force-rm --format=text
  --iidfile=out --isolation=text --label=text --layers[=text] --load -m,--memory=text --metadata-file=out --network=text!
  --no-cache --no-cache-filter=text -o,--output=harmful --platform=text --progress=text --provenance[=text] --pull
  --push! -q,--quiet --rm[=text] --sbom[=text] --secret=harmful --shm-size=text --squash --ssh=harmful -t,--tag=text
  --target=text --ulimit=text -v,--volume=harmful opaque <reads>...`;
const composeUp = `--abort-on-container-exit --abort-on-container-failure --always-recreate-deps --attach=text --attach-dependencies
  --build -d,--detach --exit-code-from=text --force-recreate --menu --no-attach=text --no-build --no-color --no-deps
  --no-log-prefix --no-recreate --no-start --pull=text --quiet-build --quiet-pull --remove-orphans -V,--renew-anon-volumes
  --scale=text -t,--timeout=text --timestamps --wait --wait-timeout=text -w,--watch -y,--yes opaque <text!>... elsewhere`;
const composeRest = `--all -a --build-arg=text --force -f --ignore-buildable --ignore-pull-failures --include-deps --no-cache
  --no-deps --no-parallel --policy=text --progress=text --pull --push! -q,--quiet --remove-orphans --rmi=text --signal=text
  --stop --ssh=harmful -t,--timeout=text -v,--volumes --with-dependencies opaque <text!>... elsewhere`;
const composeLook = `${listing} --services --volumes --tail=text --since=text --until=text -t,--timestamps --follow --no-color
  --no-log-prefix --status=text --orphans --index=text --protocol=text`;
const compose: ProgramRow = {
  usage: `--all-resources --ansi=text --compatibility --dry-run --env-file=in! -f,--file=script --parallel=text
    --profile=text --progress=text --project-directory=folder -p,--project-name=text -v opaque`,
  commands: {
    run: `${runOptions} --build! --no-deps --use-aliases --service-ports -T,--no-TTY --remove-orphans! -- <text!>
      <program> opaque elsewhere`,
    exec,
    // It prints the contents of `.env` and other variable files.
    config: 'opaque <text!>... .=reads elsewhere',
    logs: `-f,--follow -n,--tail=text --since=text --until=text -t,--timestamps --no-color --no-log-prefix --index=text
      <text>...`,
    'ps, ls, images, top, port, version': composeLook,
    'up, create, watch': composeUp,
    'down, build, pull, push, start, stop, restart, kill, pause, unpause, rm, wait, scale': composeRest,
    cp: 'opaque --all -a,--archive -L,--follow-link --index=text <copied!> <sync> elsewhere',
    '*': 'opaque <text!>... elsewhere',
  },
};
const imageCommands: ProgramRows = {
  'ls, list=ls, history, inspect': listing,
  build: imageBuild,
  'rm, prune, pull, push, tag':
    '-a,--all -f,--force --filter=text --platform=text -q,--quiet opaque <text!>... elsewhere',
  '*': 'opaque <text!>... elsewhere',
};
const objectCommands: ProgramRow = {
  commands: {
    'ls, list=ls, inspect': listing,
    '*': `-a,--all -d,--driver=text -f,--force --filter=text --label=text --name=text -o,--opt=text! --subnet=text
      --gateway=text --ip=text --alias=text opaque <text!>... elsewhere`,
  },
};
const logs = `-f,--follow -n,--tail=text --since=text --until=text -t,--timestamps --details --names --color <text>...`;
const looking = `${listing} --no-stream --type=text`;
const changing = `-a,--all -f,--force -s,--signal=text -t,--time,--timeout=text -v,--volumes -l,--link --platform=text -q,--quiet
  --disable-content-trust -i,--interactive --attach -u,--username=text! -p,--password=text! --password-stdin! --filter=text
  --no-prune --memory=text --cpus=text --restart=text! opaque <text!>... elsewhere`;
const docker: ProgramRow = {
  usage: `--config=script -c,--context=text!:opaque -D,--debug -H,--host=text!:opaque -l,--log-level=text --tls --tlscacert=in
    --tlscert=in --tlskey=in --tlsverify --root=writes --url=text!:opaque --remote!:opaque --connection=text!:opaque -v opaque`,
  with: { '--version': 'alone', '-v': 'alone' },
  commands: {
    run,
    create: run,
    exec,
    compose,
    build: imageBuild,
    'buildx, builder': { commands: { 'build, b=build': imageBuild, '*': 'opaque <harmful>... elsewhere' } },
    'container=': {
      commands: {
        run,
        create: run,
        exec,
        'ps, ls=ps, list=ps': listing,
        logs,
        'top, port, diff, stats, inspect': looking,
        '*': changing,
      },
    },
    'ps, images, version, info, history': listing,
    search: `opaque ${listing}`,
    logs,
    'top, port, diff, stats, inspect': looking,
    image: { commands: imageCommands },
    'network, volume, context, secret, config, manifest': objectCommands,
    system: {
      commands: { 'df, info': `-v,--verbose ${listing}`, '*': 'opaque --all -a -f,--force --volumes --filter=text' },
    },
    [joinNames(
      `pull, push, tag, rm, rmi, stop, start, restart, kill, pause, unpause, rename, wait, login, logout, update, attach`,
    )]: changing,
    cp: 'opaque -a,--archive -L,--follow-link -q,--quiet <copied!> <sync> elsewhere',
    'save, export': 'opaque -o,--output=out --platform=text <text!>... elsewhere',
    load: 'opaque -i,--input=in -q,--quiet --platform=text elsewhere',
    '*': 'opaque <harmful>... elsewhere',
  },
};
const kubeLook = `-A,--all-namespaces -l,--selector=text -w,--watch --watch-only --show-labels --show-events[=text] --show-kind
  --show-managed-fields --sort-by=text --field-selector=text -f,--filename=reads -k,--kustomize=reads!:opaque -R,--recursive
  -L,--label-columns=text --chunk-size=text --ignore-not-found --allow-missing-template-keys --api-version=text
  --api-group=text --namespaced[=text] --verbs=text --cached --client --no-headers --subresource=text --containers
  --sum --use-protocol-buffers --output-watch-events --server-print[=text] --for=text --types=text --raw=text!
  --template=text`;
const kubeOutput = {
  '--output': {
    'json yaml wide name kyaml jsonpath jsonpath-as-json go-template template custom-columns': 'text',
    'go-template-file templatefile jsonpath-file custom-columns-file': 'in',
  },
};
/** Reads the files that `-f` names and changes the cluster. */
const kubeChange: ProgramRow = {
  usage: `-f,--filename=reads -k,--kustomize=reads -R,--recursive --all -A,--all-namespaces --allow-missing-template-keys
    --cascade[=text] --dry-run[=text] --field-manager=text --field-selector=text --force --force-conflicts
    --grace-period=text --ignore-not-found -l,--selector=text --now --openapi-patch --overwrite[=text] --prune
    --prune-allowlist=text --record -o,--output=text --server-side --show-managed-fields --timeout=text --validate[=text]
    --wait[=text] --replicas=text --current-replicas=text --resource-version=text --type=text -p,--patch=text
    --patch-file=in --subresource=text --local --list --image=text --port=text --target-port=text --name=text
    --from-literal=text --from-file=keyed! --from-env-file=in --save-config --windows-line-endings --for=text
    --revision=text --to-revision=text --ignore-daemonsets --delete-emptydir-data --disable-eviction --min=text --max=text
    --cpu-percent=text -c,--container=text -e,--env=text --requests=text --limits=text --class=text --rule=text
    --clusterrole=text --role=text --serviceaccount=text --user=text --group=text --verb=text --resource=text --tcp=text
    opaque <text!>... elsewhere`,
  keys: kubeOutput,
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
      usage: `${kubeLook} -o,--output=text <text>...`,
      keys: kubeOutput,
    },
    logs: `-f,--follow -c,--container=text --tail=text --since=text --since-time=text --timestamps -p,--previous
      -l,--selector=text --all-containers --prefix --limit-bytes=text --max-log-requests=text <text>...`,
    [joinNames(`apply, create, delete, replace, patch, scale, autoscale, label, annotate, expose, set, wait, cordon, uncordon,
      drain, taint, rollout`)]: kubeChange,
    diff: '-f,--filename=reads -k,--kustomize=reads -R,--recursive -l,--selector=text --server-side opaque elsewhere',
    cp: '-c,--container=text --no-preserve[=text] --retries=text opaque <copied!> <sync> elsewhere',
    'port-forward': '--address=text! --pod-running-timeout=text opaque <text!>... elsewhere',
    config: {
      commands: {
        'current-context, get-contexts, get-clusters, get-users': '--no-headers -o,--output=text <text>...',
        '*': 'opaque <harmful>... elsewhere',
      },
    },
    auth: {
      commands: {
        'can-i, whoami': `-A,--all-namespaces --list -q,--quiet <text>...`,
        '*': 'opaque <harmful>... elsewhere',
      },
    },
    '*': 'opaque <harmful>... elsewhere',
  },
};
const remote = 'opaque <harmful>... elsewhere';
/** Values of a chart and their sources. */
const helmValues = `-f,--values=in --set=text --set-string=text --set-json=text --set-literal=text --set-file=harmful --version=text
  --devel --repo=text! --username=text! --password=text! --dependency-update! --generate-name -g --name-template=text
  --create-namespace -i,--install --atomic --wait --wait-for-jobs --timeout=text --dry-run[=text] --debug
  --description=text --force --no-hooks --reuse-values --reset-values --reset-then-reuse-values --skip-crds
  --include-crds --skip-tests -s,--show-only=text -o,--output=text --history-max=text --cleanup-on-fail --strict --quiet
  --with-subcharts --kube-version=text -a,--api-versions=text --is-upgrade --validate --verify --keyring=in
  --post-renderer=program --output-dir=either --render-subchart-notes --hide-notes --hide-secret --labels=text`;
const helm: ProgramRow = {
  usage: `-n,--namespace=text --kube-context=text! --kubeconfig=script --kube-apiserver=text! --kube-token=text!
    --kube-as-user=text! --registry-config=in --repository-config=in --repository-cache=either --burst-limit=text
    --qps=text opaque`,
  inherits: true,
  commands: {
    'list, ls=list, status, history, hist=history, version': `-a,--all -A,--all-namespaces --deployed --failed --pending
      --superseded --uninstalled -f,--filter=text -l,--selector=text -m,--max=text -o,--output=text -q,--short -d,--date
      -r,--reverse --revision=text --show-desc --show-resources --offset=text --template=text --client
      --time-format=text <text>...`,
    get: {
      usage: '--revision=text -o,--output=text -a,--all --template=text',
      inherits: true,
      commands: { '*': '<text>...' },
    },
    'template, lint, show, inspect=show': `${helmValues} opaque <reads>...`,
    'install, upgrade': `${helmValues} opaque <reads>... elsewhere`,
    'uninstall, del=uninstall, delete=uninstall, rollback, test':
      '--dry-run --wait --timeout=text --keep-history --no-hooks --description=text --ignore-not-found --cascade=text opaque <text!>... elsewhere',
    '*': 'opaque <harmful>... elsewhere',
  },
};
/** Providers are programs, and the state may be anywhere. */
const terraformOptions = `-var=text -var-file=in -target=text -replace=text -refresh* -refresh-only -parallelism=text -lock* -lock-timeout=text
  -input* -no-color -compact-warnings -json -out=out -state=either -state-out=out -backup=out -auto-approve -destroy
  -detailed-exitcode -upgrade -reconfigure -migrate-state -force-copy -backend* -backend-config=harmful -from-module=harmful
  -get* -plugin-dir=script -lockfile=text -generate-config-out=out -concise -raw -allow-missing -id=text`;
const terraform: ProgramRow = {
  style: 'dash',
  usage: '-chdir=folder -v opaque',
  with: { '--version': 'alone', '-version': 'alone', '-v': 'alone' },
  commands: {
    version: { style: 'dash', usage: '-json' },
    fmt: {
      style: 'dash',
      usage: '-list* -write*=text! -diff -check -recursive -no-color <either>... .=writes',
      with: { '-check': 'untouched <either>... .=reads' },
    },
    [joinNames(`plan, apply, destroy, init, validate, refresh, output, show, graph, get, providers, test, import, taint, untaint,
      console`)]: { style: 'dash', usage: `${terraformOptions} opaque <either>... .=writes elsewhere` },
    'state, workspace': {
      style: 'dash',
      commands: {
        'list, show': `${terraformOptions} opaque <text>... .=writes elsewhere`,
        '*': `${terraformOptions} opaque <text!>... .=writes elsewhere`,
      },
    },
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};
const ansible = `-i,--inventory=harmful -l,--limit=text --skip-tags=text -e,--extra-vars=data -C,--check -D,--diff
  --syntax-check --list-hosts --list-tasks --list-tags --start-at-task=text -f,--forks=text -v,--verbose -b,--become!
  --become-user=text! --become-method=text! -K,--ask-become-pass -k,--ask-pass -u,--user=text! -c,--connection=text!
  --private-key,--key-file=in -T,--timeout=text --vault-id=harmful --vault-password-file=script --ask-vault-pass
  -M,--module-path=script --flush-cache --force-handlers --step`;
/** Cloud clients: the remaining words say what to do, and it happens on other machines. */
const cloud = `opaque --region=text --profile=text --output,-o=text --query=text --no-cli-pager --no-paginate --color=text --debug
  --project=text --account=text --format=text --filter=text --limit=text --zone=text --quiet,-q -g,--resource-group=text
  -n,--name=text --subscription=text --app,-a=text --json <harmful>... elsewhere`;

export const containerPrograms: ProgramRows = {
  ...forgePrograms,
  'docker, podman, nerdctl, finch': docker,
  'docker-compose, podman-compose': compose,
  'kubectl, oc, microk8s.kubectl': kubectl,
  helm,
  'terraform, tofu': terraform,
  ansible: `${ansible} -m,--module-name=text! -a,--args=code -B,--background=text -P,--poll=text -o,--one-line -t,--tree=either opaque
    <text!>... elsewhere`,
  'ansible-playbook': `${ansible} -t,--tags=text opaque <script>... elsewhere`,
  'aws, gcloud, az, doctl, flyctl, fly, heroku, vercel, netlify': cloud,
  [joinNames(`kustomize, k9s, minikube, kind, k3s, k3d, kubeadm, istioctl, argocd, flux, crictl, ctr, runc, crun, buildah,
    skopeo, lxc, lxc-attach, lxc-execute, incus, vagrant, multipass, limactl, colima, qemu-system-x86_64, virsh,
    packer`)]: remote,
  [joinNames(`terragrunt, pulumi, cdk, sam, serverless, sls, ansible-galaxy,
    ansible-vault, puppet, chef-client, knife, salt, salt-call, nomad, consul, vault, boundary, gsutil,
    bq, wrangler, firebase, supabase, railway, render, linode-cli,
    hcloud, oci, ibmcloud, cf, eb, ecs-cli, copilot, amplify, stripe, twilio, sentry-cli, datadog-ci, circleci,
    travis, tea`)]: remote,
};
