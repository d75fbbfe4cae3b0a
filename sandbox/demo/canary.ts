import { SYSTEM_NAMESPACE } from '../installation.ts'
import { foreignWrites, ownWrites } from '../proof.ts'
import { measureShare, requestsDuring } from './measured.ts'
import { NAMESPACE, runOf, type Step } from './stage.ts'

const STEPS = '{setWeight: 25}, {pause: {duration: 2h}}, {setWeight: 50}, {pause: {}}'
const EXPERIMENT = `apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata:
  name: next-frontend
spec:
  sourceRef: {kind: Deployment, name: frontend}
  overrideType: Strategic
  overrideSpec: {template: {spec: {containers: [{name: guestbook-frontend, image: "registry.example/agnhost:2.0.0"}]}}}
  strategy: {canary: {steps: [${STEPS}], scaleDownDelaySeconds: 0}}
`
const IMAGE = "get deployment frontend -o 'jsonpath={.spec.template.spec.containers[0].image}'"

const { say, isAt } = runOf('next-frontend')

const begun: Step = {
  title: 'A canary: a new image gets its share in steps. The webhook prints what each step costs',
  async play(stage) {
    const said = await stage.kubectl('apply -f -', EXPERIMENT)
    if (!said.includes('[Plan] steps: 25% 1 of 4 pods; pause 2h;')) throw new Error('the webhook printed no steps')
    await isAt(stage, '1/7 Paused')
    await stage.kubectl('get expd')
    await measureShare(stage, 'next-frontend')
  },
}

const resumed: Step = {
  title: 'Its author says "resume": half of the requests. The source keeps its three pods',
  async play(stage) {
    await say(stage, 'resume')
    await isAt(stage, '3/7 Paused')
    await stage.kubectl('get expd')
    await stage.kubectl('get deployment frontend')
    await measureShare(stage, 'next-frontend')
  },
}

const promoted: Step = {
  title: 'She says "promote": one write brings the image into the source, whose own rollout brings it to its pods',
  async play(stage) {
    await requestsDuring(stage, async () => {
      await say(stage, 'promote')
      await isAt(stage, '7/7 Promoted')
    })
    await stage.kubectl(IMAGE)
    await stage.kubectl('get expd')
    await stage.kubectl('get deployment frontend')
  },
}

const undone: Step = {
  title: 'She changes her mind, and says "undo": the source gets its former image',
  async play(stage) {
    await requestsDuring(stage, async () => {
      await say(stage, 'undo')
      await isAt(stage, '2/2 Undone')
    })
    await stage.kubectl(IMAGE)
    await stage.awaits(IMAGE, 'registry.example/agnhost:1.1.0')
    await stage.kubectl("get expd next-frontend -o 'jsonpath-as-json={.status.strategy.command}'")
    await stage.kubectl('delete expd next-frontend')
  },
}

const recorded: Step = {
  title: 'Who wrote to the source? Besides its admin only the controller, once for each of these two words',
  async play({ plane, explain }) {
    const watched = { namespace: NAMESPACE, deployment: 'frontend', service: 'frontend' }
    const { lines, strangers } = await foreignWrites(plane.auditLog, watched)
    for (const line of lines) explain(line)
    const controller = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
    if (strangers.join() !== [controller, controller].join())
      throw new Error(`the source or its Service was written by ${strangers.join(', ')}`)
    const { all, denied } = await ownWrites(plane.auditLog)
    const writes = all.filter((write) => write === `patch deployments/${NAMESPACE}/frontend`)
    if (writes.length !== 2) throw new Error(`the controller wrote the source ${writes.length} times`)
    if (denied.length > 0) throw new Error(`the product was denied ${denied.join(', ')}`)
  },
}

/** The second story of the demo: a canary of the frontend, to its promotion and its undo. */
export const CANARY: readonly Step[] = [begun, resumed, promoted, undone, recorded]
