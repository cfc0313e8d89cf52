import Foundation

public protocol Greeter {
    var name: String { get }
    func greet() -> String
    func shout()
}

public extension Greeter {
    func shout() { helper(greet()) }
    func twice() -> String { return self.greet() + greet() }
}

func helper(_ text: String) {}

open class Base {
    public init() {}
    init(id: Int) { self.setup() }
    func setup() {}
    class func make() -> Self { fatalError() }
    static func count() -> Int { return 0 }
    func run() { setup() }
}

public final class Child: Base, Greeter {
    public var name = "x"
    let store: Store
    weak var delegate: ChildDelegate?
    lazy var cache = Cache()
    var onTap: ((Int) -> Void)?

    init(store: Store) {
        self.store = store
        super.init(id: 1)
    }

    convenience init() { self.init(store: Store()) }

    override func setup() {
        super.setup()
        store.save(self)
        delegate?.childDidSetup(self)
        cache.clear()
        onTap?(3)
        Self.count()
        Child.count()
        type(of: self).count()
    }

    public func greet() -> String { return describe() }
    private func describe() -> String { return name.uppercased() }

    class Cache {
        func clear() { purge() }
        private func purge() {}
    }
}

protocol ChildDelegate: AnyObject {
    func childDidSetup(_ child: Child)
}

struct Store {
    static let shared = Store()
    var items: [Item] = []
    var byName: [String: Item] = [:]

    func save(_ child: Child) {}
    mutating func add(_ item: Item) { items.append(item); item.touch() }
    func first() -> Item? { return items.first }
    func load(named name: String) -> Item? { return byName[name] }
}

extension Store {
    func flush() {
        for item in items { item.touch() }
        items[0].touch()
        first()?.touch()
        if let one = first() { one.touch() }
        guard let two = load(named: "a") else { return }
        two.touch()
        items.forEach { $0.touch() }
        items.forEach { item in item.touch() }
        let f = helper
        f("x")
        byName["a"]?.touch()
    }
    struct Page { func draw() { helper("p") } }
}

enum Mode {
    case on, off
    init?(text: String) { self = .on }
    func flip() -> Mode { return self == .on ? .off : .on }
    static func parse(_ t: String) -> Mode { return Mode(text: t)!.flip() }
}

class Item {
    func touch() {}
    static func touch() {}
}
