import { expect } from 'chai'
import { readOptions, USAGE } from '../../certs/options.ts'

describe('the options of the script', () => {
  it('name the objects of the manifests by default', () => {
    const { objectNames, ...rest } = readOptions([], { HOME: '/home/kim' })
    expect(objectNames).to.deep.equal({
      namespace: 'experiment-controller-system',
      configuration: 'experiment-deployment-controller',
      leafSecret: 'experiment-webhook-tls',
      caSecret: 'experiment-webhook-ca',
      pathSecret: 'experiment-webhook-path',
    })
    expect(rest).to.deep.equal({
      isHelp: false,
      isDryRun: false,
      wantsNewCa: false,
      wantsNewPath: false,
      pathEnv: undefined,
      kubeconfig: '/home/kim/.kube/config',
    })
  })

  it('take the kubeconfig from the argument, or else from the environment', () => {
    const vars = { KUBECONFIG: '/from/env' }
    expect(readOptions([], vars).kubeconfig).to.equal('/from/env')
    expect(readOptions(['--kubeconfig', '/said'], vars).kubeconfig).to.equal('/said')
  })

  it('take the service account of a pod, unless there is a kubeconfig', () => {
    const vars = { HOME: '/home/kim', KUBERNETES_SERVICE_HOST: '10.96.0.1' }
    expect(readOptions([], vars, () => false).kubeconfig).to.equal(undefined)
    expect(readOptions([], vars, (path) => path === '/home/kim/.kube/config').kubeconfig).to.equal(
      '/home/kim/.kube/config',
    )
    expect(readOptions([], { ...vars, KUBECONFIG: '/from/env' }).kubeconfig).to.equal('/from/env')
    expect(readOptions(['--kubeconfig', '/said'], vars).kubeconfig).to.equal('/said')
  })

  it('are the ones in the usage', () => {
    const said = [...USAGE.matchAll(/^ {2}(--[\w-]+)( [A-Z]+)?/gm)].map(([, option = '', value]) =>
      value ? [option, 'value'] : [option],
    )
    expect(said).to.have.lengthOf(8)
    for (const args of said) expect(() => readOptions(args, {})).to.not.throw()
    expect(() => readOptions(['--force'], {})).to.throw('--force')
  })
})
