import { expect } from 'chai'
import { versions } from '../../../cli/doctor/versions.ts'
import { VERSION } from '../../../common/program/version.ts'
import { program, someFacts } from './an-installation.ts'

const looked = async (broken: Parameters<typeof someFacts>[0]) => versions.look((await someFacts(broken)).facts)
const of = (name: string, version: string) => program(name, [], { 'app.kubernetes.io/version': version })

describe('the check of the versions', () => {
  it('is ok where all three are the same', async () => {
    expect(await looked({})).to.deep.equal({ result: 'ok', seen: `all are ${VERSION}` })
  })

  it('warns where the programs differ, or this plugin from both', async () => {
    expect(await looked({ objects: [of('experiment-webhook', '9.0.0')] })).to.deep.equal({
      result: 'warn',
      seen: `the controller is ${VERSION}, the webhook 9.0.0, this plugin ${VERSION}`,
      remedy: 'Apply your overlay again: kubectl apply -k overlay',
    })
    const both = [of('experiment-webhook', '9.0.0'), of('experiment-controller', '9.0.0')]
    expect((await looked({ objects: both })).remedy).to.match(
      new RegExp(`^Use the plugin of version 9.0.0, or install version ${VERSION}. Apply `),
    )
  })

  it('is not known without both Deployments', async () => {
    expect(await looked({ unread: ['Deployment'] })).to.include({ result: 'unknown' })
    expect(await looked({ without: ['Deployment experiment-webhook'] })).to.include({ result: 'unknown' })
  })
})
