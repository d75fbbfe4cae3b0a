import { SYSTEM_NAMESPACE } from '../installation.ts'
import { foreignWrites, ownWrites } from '../proof.ts'
import { measureShare, requestsDuring } from './measured.ts'
import { NAMESPACE, runOf, type Step } from './stage.ts'

const NAME = 'green-frontend'
const EXPERIMENT = `apiVersion: v1
kind: Service
metadata:
  name: frontend-preview
spec:
  selector: {app: guestbook, tier: frontend}
  ports: [{port: 80}]
---
apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata:
  name: ${NAME}
spec:
  sourceRef: {kind: Deployment, name: frontend}
  overrideType: Strategic
  overrideSpec: {template: {spec: {containers: [{name: guestbook-frontend, image: "registry.example/agnhost:3.0.0"}]}}}
  strategy: {blueGreen: {activeService: frontend, previewService: frontend-preview, scaleDownDelaySeconds: 3600}}
`
const SELECTORS = 'get services frontend frontend-preview -o wide'

const { say, isAt } = runOf(NAME)

const previewed: Step = {
  title: 'A blue-green: a second frontend at full size. Only its preview reaches it, and users do not',
  async play(stage) {
    const said = await stage.kubectl('apply -f -', EXPERIMENT)
    if (!said.includes('[Plan] steps: 3 pods without requests; service/frontend-preview sends to them;'))
      throw new Error('the webhook printed no steps')
    await isAt(stage, '2/10 Paused')
    await stage.kubectl('get expd')
    await stage.kubectl(SELECTORS)
    await stage.kubectl(`get expd ${NAME} -o 'jsonpath-as-json={.status.services}'`)
  },
}

const cutOver: Step = {
  title: 'Its author has tested it and says "resume": one change of the Service moves all users',
  async play(stage) {
    await requestsDuring(stage, async () => {
      await say(stage, 'resume')
      await isAt(stage, '5/10 Paused')
    })
    await stage.kubectl('get expd')
    await stage.kubectl(SELECTORS)
    await measureShare(stage, NAME)
  },
}

const returned: Step = {
  title: 'Something is wrong. "abort": all users are back on the pods of the source, which never went away',
  async play(stage) {
    await requestsDuring(stage, async () => {
      await say(stage, 'abort')
      await stage.awaits(`get expd ${NAME} -o 'jsonpath={.status.strategy.phase}'`, 'Aborted')
    })
    await stage.kubectl('get expd')
    await stage.kubectl(SELECTORS)
    await stage.kubectl('get deployment frontend')
    await stage.kubectl(`delete expd ${NAME}`)
  },
}

const recorded: Step = {
  title: 'Who wrote to the Service? The controller: its key there, back, and then that it owns nothing of it any more',
  async play({ plane, explain, kubectl }) {
    const watched = { namespace: NAMESPACE, deployment: 'frontend', service: 'frontend' }
    const { lines, strangers } = await foreignWrites(plane.auditLog, watched)
    for (const line of lines.filter((each) => each.startsWith('service/'))) explain(line)
    const controller = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
    // the promotion and its undo; the cut-over, the way back, and the end of the ownership
    if (strangers.join() !== Array(5).fill(controller).join())
      throw new Error(`the source or its Service was written by ${strangers.join(', ')}`)
    const { forbidden, denied } = await ownWrites(plane.auditLog)
    if (forbidden.length > 0) throw new Error(`the product wrote ${forbidden.join(', ')}`)
    if (denied.length > 0) throw new Error(`the product was denied ${denied.join(', ')}`)
    await kubectl("get service frontend -o 'jsonpath-as-json={.spec.selector}'")
    await kubectl('get events --field-selector involvedObject.kind=Service,involvedObject.name=frontend')
  },
}

/** The third story of the demo: a blue-green of the frontend, cut over and returned. */
export const BLUE_GREEN: readonly Step[] = [previewed, cutOver, returned, recorded]
