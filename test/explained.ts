/** To be called in a `describe`: prints a text that explains its results, if one of its tests has failed. */
export function explainedIfFailed(text: () => string): void {
  after('what explains a failure', function () {
    if (this.test?.parent?.tests.some(({ state }) => state === 'failed')) console.log(text())
  })
}
