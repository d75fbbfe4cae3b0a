import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { strayCommands, strayCommandsIn } from './commands.ts'

/** What a source file says with a resource and a name, and not by `kubectl` of `common/text/kubectl.ts`. */
const BY_HAND = /kubectl (?:argo rollouts )?[a-z]+(?: -\S+)* (?:[a-z]+\/\$\{|\$\{)/

describe('a command in a text for users', () => {
  it('is a stray one without its namespace, or with another', () => {
    const of = (text: string) => strayCommands(text, { own: 'shop', source: 'store' })
    expect(of('wait: kubectl annotate --overwrite expd/cart a/command=resume')).to.have.length(1)
    expect(of('wait: kubectl annotate --overwrite expd/cart --namespace=shop a/command=resume')).to.deep.equal([])
    expect(of('wait: kubectl annotate --overwrite expd/cart --namespace=shopping a=b')).to.have.length(1)
    expect(of('see kubectl describe deployment/cart-experiment-cd1aa1c99c --namespace=store')).to.deep.equal([])
    expect(of('see kubectl describe deployment/cart-experiment-cd1aa1c99c --namespace=shop')).to.have.length(1)
    expect(of('see kubectl describe deployment/cart; --namespace=store')).to.have.length(1)
    expect(of('look: kubectl get pods --namespace store --selector a=b')).to.have.length(1)
    expect(of('use kubectl scale, or kubectl patch or apply')).to.deep.equal([])
  })

  it('is found in every condition and Event that a program writes', () => {
    const command = 'kubectl describe deployment/cart'
    const event = { auditID: '1', stage: 'ResponseComplete', verb: 'patch', requestURI: '/', user: { username: 'a' } }
    const times = { requestReceivedTimestamp: '', stageTimestamp: '' }
    const found = (resource: string, requestObject: object) =>
      strayCommandsIn({
        ...event,
        ...times,
        objectRef: { resource, namespace: 'shop' },
        requestObject: requestObject as never,
      })
    expect(found('experimentdeployments', { status: { conditions: [{ message: command }] } })).to.deep.equal([command])
    expect(found('events', { note: command })).to.deep.equal([command])
    expect(found('experimentanalysisruns', { status: { message: command } })).to.deep.equal([command])
    expect(found('events', { note: `${command} --namespace=shop` })).to.deep.equal([])
  })

  it('is made by the function that adds the namespace, wherever it has a name', () => {
    const sources = globSync('{common,controller,webhook}/**/*.ts')
    const byHand = sources.filter((file) => BY_HAND.test(readFileSync(file, 'utf8')))
    expect(byHand).to.deep.equal([])
  })
})
