import { ownWrites } from '../proof.ts'
import { type SizeWrite, sizeWrites } from '../size-writes.ts'
import { measureShare, requestsDuring } from './measured.ts'
import { NAMESPACE, runOf, type Stage, type Step } from './stage.ts'

const NAME = 'argo-frontend'
/** The steps of Argo's own example, with shorter pauses. */
const STEPS = `
      - setWeight: 20
      - pause: {}
      - setWeight: 40
      - pause: {duration: 3}
      - setWeight: 60
      - pause: {duration: 3}
      - setWeight: 80
      - pause: {duration: 3}`
const EXPERIMENT = `apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata:
  name: ${NAME}
spec:
  sourceRef: {kind: Deployment, name: frontend}
  overrideType: Strategic
  overrideSpec: {template: {spec: {containers: [{name: guestbook-frontend, image: "registry.example/agnhost:4.0.0"}]}}}
  strategy:
    canary:
      scaleDownSource: true
      scaleDownDelaySeconds: 0
      steps:${STEPS}
`
/** A canary needs pods that answer for a few seconds after SIGTERM, as every rolling update does. */
const SOURCE = JSON.stringify({
  spec: {
    replicas: 5,
    template: { metadata: { annotations: { 'sandbox.experiment-controller.example.com/ends': '5s' } } },
  },
})
const SMALL = 'get deployments -A -l experiment-controller.example.com/scaled'

const { say, isAt } = runOf(NAME)

/** Waits until the source has `source` pods and the fork `fork`, and the status shows that. */
async function haveSizes({ awaits }: Stage, source: number, fork: number): Promise<void> {
  await awaits("get deployment frontend -o 'jsonpath={.spec.replicas}'", `${source}`)
  const share = `${Math.round((100 * fork) / (source + fork))}%`
  await awaits(`get expd ${NAME} -o 'jsonpath={.status.pods} {.status.share}'`, `${fork}/${fork} ${share}`)
}

const begun: Step = {
  title: 'Argo’s own canary, pasted: 20, 40, 60, 80 % of 5 pods. With one line more, the source gets smaller meanwhile',
  async play(stage) {
    await stage.kubectl('delete expd slow-frontend --ignore-not-found')
    await stage.kubectl(`patch deployment frontend --patch '${SOURCE}'`)
    await stage.kubectl('rollout status deployment/frontend --timeout=120s')
    const said = await stage.kubectl('apply -f -', EXPERIMENT)
    if (!said.includes('created')) throw new Error('the experiment was not created')
    await isAt(stage, '1/12 Paused')
    await haveSizes(stage, 4, 1)
    await stage.kubectl(`get expd ${NAME}`)
    await stage.kubectl(SMALL)
    await measureShare(stage, NAME)
  },
}

const resumed: Step = {
  title: 'Its author says "resume": three more weights, and never fewer than 5 pods that serve, nor more than 7 in all',
  async play(stage) {
    await requestsDuring(stage, async () => {
      await say(stage, 'resume')
      await isAt(stage, '8/12 Paused')
    })
    await haveSizes(stage, 1, 4)
    await stage.kubectl(`get expd ${NAME}`)
    await stage.kubectl(SMALL)
    await measureShare(stage, NAME)
  },
}

const promoted: Step = {
  title: 'She says "promote": the one pod of the source is replaced, and then the source gets all of its pods back',
  async play(stage) {
    await requestsDuring(stage, async () => {
      await say(stage, 'promote')
      await isAt(stage, '12/12 Promoted')
    })
    await stage.kubectl("get deployment frontend -o 'jsonpath={.spec.template.spec.containers[0].image}'")
    await stage.awaits("get deployment frontend -o 'jsonpath={.status.availableReplicas}'", '5')
    await stage.kubectl('get deployment frontend')
    await stage.awaits(SMALL, /No resources found/)
    await stage.kubectl(SMALL)
    await stage.kubectl(`delete expd ${NAME}`)
  },
}

const lineOf = ({ from, to, record }: SizeWrite): string =>
  `deployment/frontend ${from} -> ${to ?? from} pods, ${record ? `the label says ${record.size}` : 'without the label'}`

const recorded: Step = {
  title: 'Who wrote the size of the source? The controller, and each smaller number is with the label that says 5',
  async play({ plane, explain }) {
    const writes = await sizeWrites(plane.auditLog, `"${NAMESPACE}"`)
    const sized = writes.filter(({ code, to, record }) => code === 200 && (to !== undefined || record !== undefined))
    for (const write of sized) explain(lineOf(write))
    const numbers = sized.flatMap(({ to }) => to ?? [])
    const smaller = numbers.filter((to, index) => to < (numbers[index - 1] ?? 5))
    if (smaller.join() !== '4,3,2,1') throw new Error(`the sizes of the source were ${numbers.join(', ')}`)
    if (numbers.at(-1) !== 5 || sized.at(-1)?.record !== null)
      throw new Error('the source did not get its size back, or kept the label')
    const { forbidden, denied } = await ownWrites(plane.auditLog)
    if (forbidden.length > 0) throw new Error(`the product wrote ${forbidden.join(', ')}`)
    if (denied.length > 0) throw new Error(`the product was denied ${denied.join(', ')}`)
  },
}

/** The last story of the demo: a canary of the frontend inside its size, as Argo makes it. */
export const SIZE: readonly Step[] = [begun, resumed, promoted, recorded]
