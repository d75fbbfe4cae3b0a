import { expect } from 'chai'
import { validatingWebhook } from '../../../cli/doctor/validating-webhook.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { forbidden, refusal, someFacts } from './an-installation.ts'

const looked = async (posted: () => unknown, unread: readonly string[] = []) =>
  validatingWebhook.look((await someFacts({ posted, unread })).facts)

describe('the check of the validating webhook', () => {
  it('is ok where a wrong override is refused because of its field, in a dry run', async () => {
    const { facts, posts } = await someFacts()
    expect(await validatingWebhook.look(facts)).to.deep.equal({
      result: 'ok',
      seen: 'refuses a wrong override in default',
    })
    expect(posts).to.deep.equal([
      [
        'ExperimentDeployment',
        {
          metadata: { name: 'doctor-i' },
          spec: {
            sourceRef: { kind: 'Deployment', name: 'doctor-i' },
            overrideSpec: { progressDeadlineSeconds: 'soon' },
          },
        },
        'default',
      ],
    ])
  })

  it('is bad where it is admitted, or nobody answers', async () => {
    expect(await looked(() => ({}))).to.include({ result: 'bad', seen: 'nothing reviews experiments in default' })
    const down = new KubeError({ kind: 'server', status: 500, message: 'failed calling webhook "validate"' })
    expect(await looked(() => down)).to.deep.equal({
      result: 'bad',
      seen: 'failed calling webhook "validate"',
      remedy:
        'Restart it: kubectl rollout restart deployment/experiment-webhook --namespace=platform. If that does not help, read: kubectl logs deployment/experiment-webhook --namespace=platform',
    })
  })

  it('is not known where something else refuses it, such as a policy, which it names', async () => {
    const policy = refusal([{ field: '', message: 'no' }], "ValidatingAdmissionPolicy 'freeze' denied request: no")
    expect(await looked(() => policy)).to.deep.equal({
      result: 'unknown',
      seen: "something else refuses experiments in default: ValidatingAdmissionPolicy 'freeze' denied request: no",
    })
    expect(await looked(() => forbidden('experiments'))).to.include({ result: 'unknown' })
    const lost = new KubeError({ kind: 'unreachable', message: 'no answer' })
    expect(await looked(() => lost)).to.deep.equal({ result: 'unknown', seen: 'no answer' })
  })

  it('is not known where nobody says which namespace is reviewed', async () => {
    expect(await looked(() => ({}), ['ValidatingWebhookConfiguration'])).to.include({ result: 'unknown' })
  })
})
