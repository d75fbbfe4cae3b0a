import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ControlPlane } from '../control-plane.ts'
import { guestbook } from '../modules.ts'
import { foreignWrites, ownWrites } from '../proof.ts'
import { ANALYSIS } from './analysis.ts'
import { BLUE_GREEN } from './blue-green.ts'
import { CANARY } from './canary.ts'
import { measureShare } from './measured.ts'
import { SIZE } from './size.ts'
import { NAMESPACE, type Stage, type Step } from './stage.ts'

/**
 * The experiment of the demo. It adds a list that the source does not have. The rest of the fork follows the source.
 */
const EXPERIMENT = `apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata:
  name: warm-frontend
spec:
  sourceRef: {kind: Deployment, name: frontend}
  overrideSpec:
    template:
      spec:
        initContainers: [{name: warm-cache, image: "registry.example/warm-cache:0.1.0"}]
`

const MISSPELT = EXPERIMENT.replace('name: warm-frontend', 'name: cold-frontend').replace(
  '{name: warm-cache, image:',
  '{name: warm-cache, imge:',
)

const IMAGES = "-o 'jsonpath={.spec.template.spec.initContainers[*].image} {.spec.template.spec.containers[*].image}'"

/** The name of the experiment's fork, from its status. */
async function forkOf({ plane }: Stage): Promise<string> {
  const { stdout } = await plane.kubectl([
    ...['-n', NAMESPACE, 'get', 'expd', 'warm-frontend'],
    ...['-o', 'jsonpath={.status.experimentResourceRef.name}'],
  ])
  if (!stdout) throw new Error('the status has no experimentResourceRef')
  return stdout
}

const application: Step = {
  title: 'A real application: the guestbook of Kubernetes’ own tests',
  async play(stage) {
    const file = join(stage.plane.stateDirectory, 'guestbook.yaml')
    await writeFile(file, (await guestbook()).join('\n---\n'))
    await stage.kubectl(`apply -f ${file}`)
    await stage.kubectl('wait deployment --all --for=condition=Available --timeout=60s')
    await stage.kubectl('get deployments,services')
  },
}

const admitted: Step = {
  title: 'An experiment: an extra pod of the frontend that starts with a cache warmer. The webhook prints the plan',
  async play(stage) {
    const said = await stage.kubectl('apply -f -', EXPERIMENT)
    if (!said.includes('[Plan] creates deployment/frontend-experiment-')) throw new Error('the webhook printed no plan')
  },
}

const shared: Step = {
  title: 'The fork is ready, and gets its share of the Service',
  async play(stage) {
    await stage.kubectl('wait expd/warm-frontend --for=condition=Ready --timeout=60s')
    await stage.awaits("get expd warm-frontend -o 'jsonpath={.status.share}'", '25%')
    await stage.kubectl('get expd -o wide')
    await stage.kubectl('get pods -l tier=frontend')
    await stage.kubectl("get expd warm-frontend -o 'jsonpath-as-json={.status.services}'")
  },
}

const measured: Step = {
  title: 'Is that true? Kubernetes’ own kube-proxy routes 2,000 requests through the Service',
  play: (stage) => measureShare(stage, 'warm-frontend'),
}

const mistaken: Step = {
  title: 'A misspelt override is refused at once',
  async play(stage) {
    await stage.refused('apply -f -', MISSPELT, ['initContainers[0].imge', 'did you mean "image"?'])
  },
}

const followed: Step = {
  title: 'The source gets a new image: the fork follows, and keeps its own change',
  async play(stage) {
    await stage.kubectl('set image deployment/frontend guestbook-frontend=registry.example/agnhost:1.1.0')
    const fork = await forkOf(stage)
    await stage.awaits(
      `get deployment ${fork} ${IMAGES}`,
      'registry.example/warm-cache:0.1.0 registry.example/agnhost:1.1.0',
    )
    await stage.kubectl(`get deployment ${fork} ${IMAGES}`)
    await stage.kubectl('rollout status deployment/frontend --timeout=60s')
  },
}

const repaired: Step = {
  title: 'Somebody edits the fork by hand: the controller undoes it',
  async play(stage) {
    const fork = await forkOf(stage)
    await stage.kubectl(`set image deployment/${fork} guestbook-frontend=registry.example/by-hand:0`)
    await stage.awaits(
      `get deployment ${fork} ${IMAGES}`,
      'registry.example/warm-cache:0.1.0 registry.example/agnhost:1.1.0',
    )
    await stage.kubectl(`get deployment ${fork} ${IMAGES}`)
    await stage.kubectl('wait expd/warm-frontend --for=condition=Ready --timeout=60s')
  },
}

const scaled: Step = {
  title: 'A second pod, a larger share',
  async play(stage) {
    await stage.kubectl('scale expd/warm-frontend --replicas=2')
    await stage.awaits("get expd warm-frontend -o 'jsonpath={.status.readyReplicas} {.status.share}'", '2 40%')
    await stage.kubectl('get expd')
  },
}

const gone: Step = {
  title: 'The experiment is deleted, and its fork and pods are gone',
  async play(stage) {
    const fork = await forkOf(stage)
    await stage.kubectl('delete expd warm-frontend')
    await stage.awaits(`get deployment ${fork}`, /not found/)
    await stage.awaits('get pods -l experiment-controller.example.com/is-experiment=true', /No resources found/)
    await stage.kubectl('get deployments,pods -l tier=frontend')
  },
}

const untouched: Step = {
  title: 'Who wrote to the source and its Service? The audit log of the API server says',
  async play({ plane, explain }) {
    const writes = await ownWrites(plane.auditLog)
    const changes = await foreignWrites(plane.auditLog, {
      namespace: NAMESPACE,
      deployment: 'frontend',
      service: 'frontend',
    })
    for (const line of changes.lines) explain(line)
    explain(
      `the webhook and the controller made ${writes.all.length} writes, ${writes.forbidden.length} of them to the source, its pods or a Service`,
    )
    if (writes.forbidden.length > 0) throw new Error(`the product wrote ${writes.forbidden.join(', ')}`)
    if (writes.denied.length > 0) throw new Error(`the product was denied ${writes.denied.join(', ')}`)
    if (changes.strangers.length > 0) throw new Error(`also written by ${changes.strangers.join(', ')}`)
  },
}

/** The steps of the demo: an experiment, a canary, a blue-green, an analysis, and a canary as Argo makes it. */
export const STORY: readonly Step[] = [
  application,
  admitted,
  shared,
  measured,
  mistaken,
  followed,
  repaired,
  scaled,
  gone,
  untouched,
  ...CANARY,
  ...BLUE_GREEN,
  ...ANALYSIS,
  ...SIZE,
]

/** Creates the namespace of the demo. */
export async function prepare({ plane }: Stage): Promise<void> {
  const { code, stderr } = await plane.kubectl(['create', 'namespace', NAMESPACE])
  if (code !== 0) throw new Error(stderr.trim())
}

/** What a user can try after the demo. */
export const toTry = ({ kubeconfig, binaries }: ControlPlane): string => `
Everything keeps running until Ctrl-C. In another terminal:

  export KUBECONFIG=${kubeconfig}
  export PATH="${dirname(binaries.kubectl)}:$PATH"
  kubectl config set-context --current --namespace=${NAMESPACE}

  kubectl explain expd.spec
  kubectl get expd --watch
  kubectl apply -f - <<'EOF'
${EXPERIMENT.trimEnd()}
EOF

Then scale it, misspell something, edit or delete the fork, change or delete the source. Pods are simulated here. To see
an unhealthy experiment, use an image with the tag "broken" (it is never pulled) or "crash" (it crashes in a loop).
`
