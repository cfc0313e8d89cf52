#include "../include/store.hpp"

using namespace acme;
namespace au = acme::util;
using acme::util::clamp;

static int limit(int value) { return value; }

typedef int (*op)(int);

struct Callback {
    void run() { fn(1); other->price(); }
    std::function<void(int)> fn;
    Item *other;
};

template <typename T>
int measure(const T &value)
{
    return value.price() + value.total();
}

class Widget {
public:
    Widget() : item_(), store_(nullptr, nullptr) {}
    void draw();
    void paint() { draw(); helper_.draw(); }
    class Part {
    public:
        void draw() {}
        void go() { draw(); }
    };

private:
    Item item_;
    Store store_;
    Part helper_;
};

void Widget::draw() { item_.price(); store_.total(); }

int sum(const std::vector<Item> &items)
{
    int all = 0;
    for (const auto &item : items)
        all += item.price();
    return all + items[0].price();
}

int apply(op f, int value) { return f(value); }

int main()
{
    Shop shop(nullptr, nullptr);
    Item item = make_item(3);
    shop.add(item);
    shop.total();
    auto store = open_store("x");
    store->total();
    auto other = std::make_unique<Store>(nullptr, nullptr);
    other->add(item, 2);
    Store &one = Store::instance();
    one.first().price();
    au::clamp(1);
    clamp(2, 3);
    limit(4);
    auto square = [](int x) { return limit(x); };
    square(2);
    op f = &limit;
    f(2);
    apply(limit, 3);
    (*f)(3);
    Widget w;
    w.paint();
    Widget::Part part;
    part.go();
    Logger *logger = new FileLogger("a", 2);
    logger->log("b");
    static_cast<FileLogger *>(logger)->rotate();
    if (auto *files = dynamic_cast<FileLogger *>(logger))
        files->rotate();
    std::vector<std::unique_ptr<Store>> stores;
    for (auto &s : stores)
        s->total();
    stores[0]->total();
    measure(item);
    Callback cb;
    cb.run();
    Store local{nullptr, nullptr};
    local.total();
    auto bound = std::bind(&Store::total, &local);
    bound();
    delete logger;
    return 0;
}
