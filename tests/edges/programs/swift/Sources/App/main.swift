import Core

class Controller {
    private let child: Child
    private var greeter: Greeter
    init(child: Child, greeter: Greeter) { self.child = child; self.greeter = greeter }

    func start(_ any: Any, callback: (Item) -> Void) {
        child.run()
        child.twice()
        greeter.shout()
        callback(Item())
        (any as? Child)?.greet()
        let page = Store.Page()
        page.draw()
        Store.shared.flush()
        let mode = Mode.parse("x")
        mode.flip()
        let item: Item = Item()
        item.touch()
        Item.touch()
        let unknown = mystery()
        unknown.touch()
        work { [weak self] in self?.stop() }
        handler(stop)
    }
    func stop() {}
    func touch() {}
}

func start() { helper("no") }

func generic<T: Greeter>(_ value: T) { value.greet() }
func opaque() -> some Greeter { return Child() }
func useOpaque() { opaque().greet() }

let controller = Controller(child: Child(), greeter: Child())
controller.start(1) { $0.touch() }
